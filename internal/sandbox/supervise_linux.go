//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervise is the first copy: it reads one plan from in, has it launched,
// answers on out, and returns when no descendant is left.
func supervise(in io.Reader, out io.Writer) int {
	// The launcher asks to be killed with the thread that started it.
	runtime.LockOSThread()
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil {
		fmt.Fprintf(os.Stderr, "read the plan: %v\n", err)
		return ExitSetup
	}
	var p plan
	if err := json.Unmarshal(line, &p); err != nil {
		fmt.Fprintf(os.Stderr, "read the plan: %v\n", err)
		return ExitSetup
	}
	cancelled := make(chan struct{})
	go func() {
		io.Copy(io.Discard, r)
		close(cancelled)
	}()
	o, err := runPlan(p, cancelled)
	if err != nil {
		o = outcome{Setup: err.Error()}
	}
	if err := json.NewEncoder(out).Encode(o); err != nil {
		return ExitSetup
	}
	return 0
}

// runPlan starts the launcher, waits for the script, the deadline or cancelled,
// and then ends every descendant.
func runPlan(p plan, cancelled <-chan struct{}) (outcome, error) {
	// Orphans come to this process, so that a daemon cannot hide from it.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return outcome{}, fmt.Errorf("become a subreaper: %w", err)
	}
	l, err := startLauncher(p)
	if err != nil {
		return outcome{}, err
	}
	defer l.close()

	var stdout, stderr, status capture
	var readers sync.WaitGroup
	readers.Go(func() { stdout.readAll(l.stdout, p.Cap) })
	readers.Go(func() { stderr.readAll(l.stderr, p.Cap) })
	readers.Go(func() { status.readAll(l.status, 4096) })

	// Not yet reaped, a dead launcher keeps its number and its group's.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for unix.Waitid(unix.P_PID, l.process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
	}()
	deadline := time.NewTimer(p.Timeout)
	defer deadline.Stop()
	o := outcome{}
	select {
	case <-ended:
	case <-deadline.C:
		o.TimedOut = true
	case <-cancelled:
	}
	// One signal to the group reaches all at once who did not leave it,
	// however fast they fork.
	syscall.Kill(-l.process.Pid, syscall.SIGKILL)
	state, err := l.process.Wait()
	if err != nil {
		return outcome{}, fmt.Errorf("wait for the script: %w", err)
	}
	killAll()
	readers.Wait()
	if p.SwitchUser {
		giveBack(p.Tmp, p.Owner)
	}

	o.Exit = exitStatus(state)
	o.Stdout, o.Stderr, o.Cut = stdout.kept, stderr.kept, stdout.cut || stderr.cut
	kind, text, _ := strings.Cut(string(status.kept), " ")
	switch kind {
	case "setup":
		o.Setup = text
	case "exec":
		o.Exec = text
	}
	if o.Setup == "" && o.Exec == "" && o.Exit == ExitSetup && len(status.kept) > 0 {
		o.Setup = string(status.kept)
	}
	return o, nil
}

// giveBack makes a directory its owner's again, with all that the script left in
// it. Nothing runs there any more, and Landlock kept it from linking to files
// that are not its own. What cannot be changed stays for the owner to complain.
func giveBack(dir string, owner int) {
	filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		_ = os.Lchown(p, owner, -1)
		return nil
	})
}

func exitStatus(state *os.ProcessState) int {
	if state == nil {
		return -1
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// launcher is the second copy, with the ends of its pipes that the supervisor
// keeps.
type launcher struct {
	process                *os.Process
	stdout, stderr, status *os.File
}

func (l *launcher) close() {
	l.stdout.Close()
	l.stderr.Close()
	l.status.Close()
}

// The launcher's inherited files beyond the standard three.
const (
	statusFD = 3 // to the supervisor: what went wrong; closed by a good exec
	planFD   = 4 // from the supervisor: the plan
)

func startLauncher(p plan) (*launcher, error) {
	line, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	var ends []*os.File
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err == nil {
			ends = append(ends, r, w)
		}
		return r, w
	}
	outR, outW := pipe()
	errR, errW := pipe()
	statusR, statusW := pipe()
	planR, planW := pipe()
	fail := func(err error) (*launcher, error) {
		for _, f := range ends {
			f.Close()
		}
		return nil, fmt.Errorf("start the launcher: %w", err)
	}
	if err != nil {
		return fail(err)
	}
	proc, err := os.StartProcess(self, []string{"crev", hiddenArg, partLaunch}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{},
		Files: []*os.File{null, outW, errW, statusW, planR},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fail(err)
	}
	for _, f := range []*os.File{outW, errW, statusW, planR} {
		f.Close()
	}
	// A launcher that died already is seen by its status.
	planW.Write(line)
	planW.Close()
	return &launcher{process: proc, stdout: outR, stderr: errR, status: statusR}, nil
}
