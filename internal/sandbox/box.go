package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxFolderFiles and maxFolderBytes bound the copy of a script's folder.
	maxFolderFiles = 1000
	maxFolderBytes = 32 << 20
)

// mode is the set of layers a box is run in. The zero value has none.
type mode struct {
	layers     bool
	switchUser bool
	namespaces bool
	sudo       string
}

// plan is what the supervisor and the launcher are told, as one line of JSON.
type plan struct {
	Argv    []string      `json:"argv"`
	Env     []string      `json:"env"`
	Dir     string        `json:"dir"`
	Tmp     string        `json:"tmp"`
	Read    []string      `json:"read"`
	Timeout time.Duration `json:"timeout"`
	Cap     int           `json:"cap"`
	Limits  Limits        `json:"limits"`
	// Owner gets the temporary directory back when another user had it.
	Owner int `json:"owner"`
	// Layers, SwitchUser and Namespaces are the mode.
	Layers     bool `json:"layers"`
	SwitchUser bool `json:"switch_user"`
	Namespaces bool `json:"namespaces"`
	// Probe, when not nil, is run in place of Argv.
	Probe *decoys `json:"probe,omitempty"`
	// Plant is a variable for the supervisor's own environment, where a
	// probe looks for it.
	Plant string `json:"-"`
}

// outcome is what the supervisor answers, as one line of JSON.
type outcome struct {
	Exit     int    `json:"exit"`
	Stdout   []byte `json:"stdout"`
	Stderr   []byte `json:"stderr"`
	Cut      bool   `json:"cut"`
	TimedOut bool   `json:"timed_out"`
	// Setup says which layer could not be put in place, Exec why the program
	// could not be started. Nothing ran when one of them is set.
	Setup string `json:"setup,omitempty"`
	Exec  string `json:"exec,omitempty"`
}

// box is the place on disk of one run: a read-only copy of the script's folder
// and a temporary directory.
type box struct {
	root string
	plan plan
	mode mode
}

func (b *box) remove() {
	// A script may have taken away its own right to list a directory.
	filepath.WalkDir(b.root, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	os.RemoveAll(b.root)
}

func (r *Runner) newBox(s Spec, m mode) (*box, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return nil, errors.New("run a script: no program given")
	}
	if err := checkEnv(s.Env); err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(r.opts.TempDir, "crev-box-")
	if err != nil {
		return nil, fmt.Errorf("make a sandbox directory: %w", err)
	}
	b := &box{root: root, mode: m}
	if err := b.fill(r, s); err != nil {
		b.remove()
		return nil, err
	}
	return b, nil
}

func (b *box) fill(r *Runner, s Spec) error {
	// Others must pass through, so that a switched user finds its files.
	if err := os.Chmod(b.root, 0o711); err != nil {
		return fmt.Errorf("open the sandbox directory: %w", err)
	}
	b.plan = plan{
		Argv:       slices.Clone(s.Argv),
		Tmp:        s.Tmp,
		Timeout:    s.Timeout,
		Cap:        s.OutputCap,
		Limits:     s.Limits.withDefaults(),
		Owner:      os.Getuid(),
		Layers:     b.mode.layers,
		SwitchUser: b.mode.switchUser,
		Namespaces: b.mode.namespaces,
	}
	if b.plan.Timeout <= 0 {
		b.plan.Timeout = DefaultTimeout
	}
	if b.plan.Cap <= 0 {
		b.plan.Cap = DefaultOutputCap
	}
	if b.plan.Tmp == "" {
		b.plan.Tmp = filepath.Join(b.root, "tmp")
		if err := os.Mkdir(b.plan.Tmp, 0o700); err != nil {
			return fmt.Errorf("make a temporary directory: %w", err)
		}
	}
	var err error
	if b.plan.Tmp, err = filepath.Abs(b.plan.Tmp); err != nil {
		return err
	}
	b.plan.Dir = b.plan.Tmp
	if s.Dir != "" {
		if b.plan.Dir, err = filepath.Abs(s.Dir); err != nil {
			return err
		}
	}
	script := filepath.Join(b.root, "script")
	if s.Files != nil {
		if err := copyFolder(s.Files, script); err != nil {
			return err
		}
		resolveFiles(b.plan.Argv, s.Files, script)
	}
	dirs := reachableDirs(r.path, b.mode.switchUser)
	if err := resolveProgram(b.plan.Argv, dirs); err != nil {
		return err
	}
	b.plan.Env = environment(dirs, b.plan.Tmp, s.Env)
	if b.mode.layers {
		b.plan.Read = slices.Concat(systemPaths(), toolPaths(dirs), r.opts.Read, s.ReadOnly, []string{b.plan.Dir})
		if s.Files != nil {
			b.plan.Read = append(b.plan.Read, script)
		}
	}
	return nil
}

// environment is all that a script inherits.
func environment(dirs []string, tmp string, extra map[string]string) []string {
	env := []string{
		"PATH=" + strings.Join(dirs, string(os.PathListSeparator)),
		"HOME=" + tmp,
		"LANG=C.UTF-8",
		"TMPDIR=" + tmp,
	}
	for k, v := range extra {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env
}

// resolveFiles replaces the arguments that name files of the script's folder.
func resolveFiles(argv []string, folder fs.FS, at string) {
	for i, a := range argv {
		name, ok := strings.CutPrefix(a, "./")
		if !ok || !fs.ValidPath(name) {
			continue
		}
		if st, err := fs.Stat(folder, name); err == nil && st.Mode().IsRegular() {
			argv[i] = filepath.Join(at, filepath.FromSlash(name))
		}
	}
}

// resolveProgram makes the first argument an absolute path of something that
// can be executed, or says what is missing.
func resolveProgram(argv, dirs []string) error {
	name := argv[0]
	if !strings.ContainsRune(name, filepath.Separator) {
		p, ok := lookPath(name, dirs)
		if !ok {
			return fmt.Errorf("%s %w: it is not on PATH", name, ErrNotExecutable)
		}
		argv[0] = p
		return nil
	}
	if !filepath.IsAbs(name) {
		return fmt.Errorf("%s %w: name a file of the validator's folder or a program on PATH", name, ErrNotExecutable)
	}
	return checkShebang(name, dirs)
}

// checkShebang finds a missing interpreter before the kernel does, whose
// message would name the script.
func checkShebang(file string, dirs []string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("%s %w: %w", filepath.Base(file), ErrNotExecutable, err)
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		if strings.HasPrefix(line, "\x7fELF") || strings.HasPrefix(line, "MZ") {
			return nil
		}
		return fmt.Errorf("%s %w: its first line is not #! and an interpreter", filepath.Base(file), ErrNotExecutable)
	}
	if strings.HasSuffix(rest, "\r\n") {
		return fmt.Errorf("%s %w: its first line ends in a carriage return; save it with Unix line ends", filepath.Base(file), ErrNotExecutable)
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return fmt.Errorf("%s %w: its first line names no interpreter", filepath.Base(file), ErrNotExecutable)
	}
	if path.Base(words[0]) == "env" && len(words) > 1 {
		words = words[1:]
		if words[0] == "-S" && len(words) > 1 {
			words = words[1:]
		}
		if strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") {
			return nil
		}
		if _, ok := lookPath(words[0], dirs); !ok {
			return fmt.Errorf("%s %w: its interpreter %s is not on PATH", filepath.Base(file), ErrNotExecutable, words[0])
		}
		return nil
	}
	if _, err := os.Stat(words[0]); err != nil {
		return fmt.Errorf("%s %w: its interpreter %s does not exist", filepath.Base(file), ErrNotExecutable, words[0])
	}
	return nil
}

func lookPath(name string, dirs []string) (string, bool) {
	for _, d := range dirs {
		if p, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return p, true
		}
	}
	return "", false
}

// copyFolder writes the regular files of a folder below dir. Every file can be
// read and executed by all, because the right to execute is lost on some
// systems, and written by none.
func copyFolder(folder fs.FS, dir string) error {
	var files, size int64
	return fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("read the script's folder: %w", err)
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			if err := os.Mkdir(to, 0o755); err != nil {
				return fmt.Errorf("copy the script's folder: %w", err)
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("copy the script's folder: %q is not a regular file; replace the link by the file itself", name)
		}
		data, err := readCapped(folder, name, maxFolderBytes-size)
		if err != nil {
			return fmt.Errorf("copy the script's folder: %w", err)
		}
		files++
		size += int64(len(data))
		if files > maxFolderFiles {
			return fmt.Errorf("copy the script's folder: more than %d files", maxFolderFiles)
		}
		if err := os.WriteFile(to, data, 0o555); err != nil {
			return fmt.Errorf("copy the script's folder: %w", err)
		}
		return os.Chmod(to, 0o555)
	})
}

func readCapped(folder fs.FS, name string, limit int64) ([]byte, error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("%s: the folder is larger than %d MiB", name, maxFolderBytes>>20)
	}
	return b.Bytes(), nil
}

// answer turns the supervisor's answer into the caller's. The name of the box is
// random, so it is taken out of the output: the same run must print the same.
func (b *box) answer(o outcome, res Result) Result {
	res.Exit = o.Exit
	res.Cut, res.TimedOut = o.Cut, o.TimedOut
	name := func(out []byte) []byte { return bytes.ReplaceAll(out, []byte(b.root), []byte("$CREV_BOX")) }
	stdout := name(o.Stdout)
	res.Output = slices.Concat(stdout, name(o.Stderr))
	res.Stdout = res.Output[:len(stdout):len(stdout)]
	switch {
	case o.Setup != "":
		res.Exit = ExitSetup
		res.Err = fmt.Errorf("%w: %s", ErrSetup, o.Setup)
	case o.Exec != "":
		res.Exit = -1
		res.Err = fmt.Errorf("%w: %s", ErrNotExecutable, o.Exec)
	}
	return res
}
