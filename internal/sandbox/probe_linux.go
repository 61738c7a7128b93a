//go:build amd64 || arm64

package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"
)

// probeTimeout bounds one round of probes; it takes some 50 ms.
const probeTimeout = 20 * time.Second

// decoys are what an escape would reach, were it open: all of it made for the
// purpose, none of it worth anything.
type decoys struct {
	// Token is in the supervisor's environment and in the file Secret.
	Token  string `json:"token"`
	Secret string `json:"secret"`
	// Open is a directory that everybody may write to, Tree the working
	// directory, Tmp the script's own.
	Open string `json:"open"`
	Tree string `json:"tree"`
	Tmp  string `json:"tmp"`
	// The addresses listen.
	TCP      string `json:"tcp"`
	UDP      string `json:"udp"`
	Unix     string `json:"unix"`
	Abstract string `json:"abstract"`
	// Pid and Address name a byte in crev's own memory.
	Pid     int     `json:"pid"`
	Address uintptr `json:"address"`
}

func (d *decoys) argv() []string {
	text, _ := json.Marshal(d) // strings and numbers only
	return []string{"crev", hiddenArg, partProbe, string(text)}
}

// candidate is a mode to try and the level it reaches when nothing gets out.
type candidate struct {
	mode  mode
	level Level
}

// candidates lists what this process can try, best first.
func (r *Runner) candidates() []candidate {
	var all []candidate
	if os.Geteuid() == 0 {
		all = append(all,
			candidate{mode{layers: true, switchUser: true, namespaces: true}, L3Plus},
			candidate{mode{layers: true, switchUser: true}, L3})
	} else {
		if r.opts.Sudo != "" {
			all = append(all, candidate{mode{layers: true, switchUser: true, sudo: r.opts.Sudo}, L3})
		}
		// Not for root: the kernel does not limit its processes, so a
		// script that forks without end would take the machine.
		all = append(all, candidate{mode{layers: true}, L2})
	}
	if r.opts.Avoid != 0 {
		for len(all) > 0 && all[0].level >= r.opts.Avoid {
			all = all[1:]
		}
	}
	return all
}

// probe tries the candidates and takes the first from which nothing escapes.
func (r *Runner) probe(ctx context.Context) (mode, Report) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var failed []string
	worst := Report{Level: L1}
	for _, c := range r.candidates() {
		probes, err := r.probeMode(ctx, c.mode)
		rep := Report{Level: c.level, Probes: probes}
		open := rep.Open()
		switch {
		case err != nil:
			failed = append(failed, fmt.Sprintf("%s: %v", c.level, err))
		case len(open) > 0:
			failed = append(failed, fmt.Sprintf("%s: open: %s", c.level, strings.Join(open, ", ")))
			worst.Probes = probes
		default:
			rep.Reason = fmt.Sprintf("%d probes, none got out", len(probes))
			if len(failed) > 0 {
				rep.Reason += "; " + strings.Join(failed, "; ")
			}
			return c.mode, rep
		}
	}
	worst.Reason = strings.Join(failed, "; ")
	if worst.Reason == "" {
		worst.Reason = "no level is left to try"
	}
	return mode{}, worst
}

// probeMode runs the probes inside one mode.
func (r *Runner) probeMode(ctx context.Context, m mode) ([]Probe, error) {
	root, err := os.MkdirTemp(r.opts.TempDir, "crev-probe-")
	if err != nil {
		return nil, err
	}
	b := &box{root: root, mode: m}
	defer b.remove()
	d, closers, err := setDecoys(root)
	for _, c := range closers {
		defer c()
	}
	if err != nil {
		return nil, fmt.Errorf("set decoys: %w", err)
	}
	dirs := reachableDirs(r.path, m.switchUser)
	b.plan = plan{
		Argv:    []string{"crev"},
		Env:     append(raceOptions(), environment(dirs, d.Tmp, nil)...),
		Dir:     d.Tree,
		Tmp:     d.Tmp,
		Read:    append(systemPaths(), d.Tree, self),
		Timeout: probeTimeout,
		Cap:     DefaultOutputCap,
		Limits:  scriptLimits,
		Owner:   os.Getuid(),
		Layers:  m.layers, SwitchUser: m.switchUser, Namespaces: m.namespaces,
		Probe: d,
		Plant: "CREV_PROBE=" + d.Token,
	}
	// This program may need more memory than a script gets, with the race
	// detector some terabytes of addresses.
	b.plan.Limits.Memory = math.MaxUint64
	o, err := b.supervise(ctx)
	switch {
	case err != nil:
		return nil, err
	case o.Setup != "" || o.Exec != "":
		return nil, errors.New(o.Setup + o.Exec)
	}
	var probes []Probe
	if err := json.Unmarshal(o.Stdout, &probes); err != nil {
		return nil, fmt.Errorf("the probes did not answer (exit %d): %s", o.Exit, firstLine(o.Stderr, o.Stdout))
	}
	return probes, nil
}

// memoryDecoy is the byte that a probe tries to read from outside.
var memoryDecoy = [1]byte{'x'}

// setDecoys makes everything that an escape could reach. The closers must be
// called also after an error.
func setDecoys(root string) (*decoys, []func(), error) {
	d := &decoys{
		Token:   "decoy-" + rand.Text(),
		Secret:  filepath.Join(root, "outside", "secret"),
		Open:    filepath.Join(root, "open"),
		Tree:    filepath.Join(root, "tree"),
		Tmp:     filepath.Join(root, "tmp"),
		Pid:     os.Getpid(),
		Address: uintptr(unsafe.Pointer(&memoryDecoy[0])),
	}
	var closers []func()
	for dir, perm := range map[string]os.FileMode{
		root: 0o755, filepath.Dir(d.Secret): 0o755, d.Open: 0o777, d.Tree: 0o777, d.Tmp: 0o700,
	} {
		// Mkdir heeds the umask, Chmod does not.
		if err := errors.Join(os.MkdirAll(dir, perm), os.Chmod(dir, perm)); err != nil {
			return nil, closers, err
		}
	}
	for file, perm := range map[string]os.FileMode{
		d.Secret: 0o644, filepath.Join(d.Open, "commands"): 0o666, filepath.Join(d.Tree, "file"): 0o666,
	} {
		if err := errors.Join(os.WriteFile(file, []byte(d.Token), perm), os.Chmod(file, perm)); err != nil {
			return nil, closers, err
		}
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, closers, err
	}
	closers = append(closers, func() { tcp.Close() })
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, closers, err
	}
	closers = append(closers, func() { udp.Close() })
	d.TCP, d.UDP = tcp.Addr().String(), udp.LocalAddr().String()
	// A path for a socket has at most 107 bytes, so its directory is the
	// system's.
	dir, err := os.MkdirTemp("", "crev-s-")
	if err != nil {
		return nil, closers, err
	}
	closers = append(closers, func() { os.RemoveAll(dir) })
	d.Unix, d.Abstract = filepath.Join(dir, "s"), "@"+d.Token
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, closers, err
	}
	for _, address := range []string{d.Unix, d.Abstract} {
		l, err := net.Listen("unix", address)
		if err != nil {
			return nil, closers, err
		}
		closers = append(closers, func() { l.Close() })
	}
	return d, closers, os.Chmod(d.Unix, 0o777)
}
