// Package sandbox runs a script that must not be trusted: a validator's, or
// one that a model proposed as evidence.
//
// On Linux the program re-executes itself twice. The first copy supervises: it
// holds the deadline, collects the output and leaves no process behind. The
// second copy locks itself into the layers (user, limits, Landlock, seccomp)
// and becomes the script. So that this can work, main and TestMain call Main
// first. What was locked is not believed but tried: New runs a set of escapes
// inside and derives the Level from what they could do.
//
// Elsewhere there are no layers; the level is L1 and nothing is run unless the
// caller says Unsafe.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// DefaultTimeout is the deadline of a Spec that names none.
	DefaultTimeout = 30 * time.Second
	// DefaultOutputCap is how many bytes of each output stream are kept.
	DefaultOutputCap = 64 << 10
	// ExitSetup is the Exit of a Result whose sandbox could not be set up.
	ExitSetup = 125
	// grace is what the supervisor gets on top of the deadline to kill and
	// to report, before it is killed itself.
	grace = 5 * time.Second
)

// CutMarker ends an output of which the rest was dropped.
const CutMarker = "\n[output cut here by crev]\n"

// The reasons why a script did not run. Result.Err wraps one of them; any
// other error means that the Spec itself was wrong.
var (
	// ErrSetup: a layer could not be put in place, so nothing was run.
	ErrSetup = errors.New("SANDBOX-SETUP-FAILED")
	// ErrUnavailable: this machine has no level that runs scripts.
	ErrUnavailable = errors.New("no sandbox on this machine")
	// ErrNotExecutable: the program is missing, is no program, or its
	// interpreter is missing.
	ErrNotExecutable = errors.New("cannot be executed")
)

// Options choose how a Runner runs.
type Options struct {
	// Read lists more paths that scripts may read, beside the system's
	// directories and those on PATH: sandbox.read of the configuration.
	Read []string
	// Path is the PATH that scripts get. "" means the process's own. Entries
	// that are not absolute are dropped.
	Path string
	// Sudo is a command such as "sudo" that runs its arguments as root
	// without asking, "" for none. A process that is not root uses it to
	// reach the level with its own user.
	Sudo string
	// Unsafe runs scripts even at L1, with nothing but their own environment,
	// a deadline and an output cap. For a laptop only: New refuses it when
	// InActions is set.
	Unsafe bool
	// InActions says that this is a job on GitHub.
	InActions bool
	// TempDir is where boxes are made, "" for the system's.
	TempDir string
	// Avoid forbids levels above it, for tests; the zero value forbids none.
	Avoid Level
}

// Runner runs scripts at the level that New found. It holds no process and
// needs no closing. It may be used by several goroutines.
type Runner struct {
	report Report
	mode   mode
	opts   Options
	path   []string
}

// New probes the machine and returns a Runner that runs at the best level whose
// probes were all blocked. It never fails: where nothing can be locked the
// Runner has level L1 and refuses to run, and Report says why.
func New(ctx context.Context, opts Options) *Runner {
	if opts.Path == "" {
		opts.Path = os.Getenv("PATH")
	}
	if opts.TempDir == "" {
		opts.TempDir = os.TempDir()
	}
	if opts.InActions {
		opts.Unsafe = false
	}
	r := &Runner{opts: opts, path: searchPath(opts.Path)}
	r.mode, r.report = r.probe(ctx)
	return r
}

// Report returns what the probes found.
func (r *Runner) Report() Report { return r.report }

// Spec is one script to run.
type Spec struct {
	// Argv is the program and its arguments. An element that begins with
	// "./" and names a file of Files becomes that file's absolute path. The
	// program is otherwise an absolute path or a name looked up on PATH.
	Argv []string
	// Files is the script's own folder, nil for none. It is copied, and the
	// script can read the copy but not change it. Symbolic links in it are
	// refused.
	Files fs.FS
	// Dir is the working directory: the judged tree, which the script can
	// read and not change. "" means the script's own temporary directory.
	Dir string
	// Env holds variables beyond PATH, HOME, LANG and TMPDIR. Every name
	// must begin with "CREV_"; nothing else is inherited.
	Env map[string]string
	// Timeout is the deadline, 0 for DefaultTimeout.
	Timeout time.Duration
	// OutputCap bounds the bytes kept of each stream, 0 for
	// DefaultOutputCap.
	OutputCap int
	// ReadOnly lists more paths that this script may read.
	ReadOnly []string
	// Tmp is a directory the script may write to, "" for a new one that is
	// removed afterwards. It is also its HOME and TMPDIR.
	Tmp string
	// Limits bound resources; a zero field takes its default.
	Limits Limits
	// Off runs without any layer. The caller has decided that the command
	// is trusted, see "sandbox: off" in docs/validators.md.
	Off bool
}

// Limits are the resources of one script. They are not applied where there is
// no sandbox.
type Limits struct {
	// Memory is the address space of one process in bytes. Node and Go need
	// 1 GiB to start.
	Memory uint64 `json:"memory"`
	// FileSize is the size of the largest file in bytes.
	FileSize uint64 `json:"file_size"`
	// Files is the number of open files of one process.
	Files uint64 `json:"files"`
	// Processes is the number of processes and threads of the sandbox's
	// user. It has no effect where the user is not switched.
	Processes uint64 `json:"processes"`
}

// scriptLimits are the defaults.
var scriptLimits = Limits{Memory: 2 << 30, FileSize: 16 << 20, Files: 256, Processes: 128}

func (l Limits) withDefaults() Limits {
	d := scriptLimits
	if l.Memory != 0 {
		d.Memory = l.Memory
	}
	if l.FileSize != 0 {
		d.FileSize = l.FileSize
	}
	if l.Files != 0 {
		d.Files = l.Files
	}
	if l.Processes != 0 {
		d.Processes = l.Processes
	}
	return d
}

// Result is what became of a Spec.
type Result struct {
	// Exit is the exit status; 128 + the signal's number when a signal ended
	// it, ExitSetup when the sandbox could not be set up, -1 when nothing
	// ran.
	Exit int
	// Output is standard output followed by standard error, raw but for the
	// name of the sandbox directory, which is $CREV_BOX. It must
	// pass through Quote before it is printed in a job.
	Output []byte
	// Stdout is the part of Output that is standard output.
	Stdout []byte
	// Cut is true when a stream was longer than the cap.
	Cut bool
	// TimedOut is true when the deadline ended it.
	TimedOut bool
	// Level is the level it ran at; L1 means without layers.
	Level Level
	// Elapsed is the wall time, with setting up.
	Elapsed time.Duration
	// Err says why it did not run. It is nil when the script ran, whatever
	// the script did.
	Err error
}

// Run runs one script and waits until it and all its descendants are gone. A
// cancelled context ends it early and is reported in Err.
func (r *Runner) Run(ctx context.Context, s Spec) Result {
	start := time.Now()
	res := r.run(ctx, s)
	res.Elapsed = time.Since(start)
	if ctx.Err() != nil {
		res.Err = context.Cause(ctx)
	}
	return res
}

func (r *Runner) run(ctx context.Context, s Spec) Result {
	res := Result{Exit: -1, Level: r.report.Level}
	m := r.mode
	if s.Off || (r.report.Level < L2 && r.opts.Unsafe) {
		m = mode{}
		res.Level = L1
	} else if r.report.Level < L2 {
		res.Err = fmt.Errorf("%w: %s", ErrUnavailable, r.report.Reason)
		return res
	}
	b, err := r.newBox(s, m)
	if err != nil {
		res.Err = err
		return res
	}
	defer b.remove()
	return b.run(ctx, res)
}

// checkEnv refuses variables that a script must not get.
func checkEnv(env map[string]string) error {
	for k, v := range env {
		if !strings.HasPrefix(k, "CREV_") || strings.ContainsAny(k, "=\x00") || strings.Contains(v, "\x00") {
			return fmt.Errorf("environment of a script: %q: only names that begin with CREV_ are passed", k)
		}
	}
	return nil
}

// searchPath returns the absolute directories of a PATH, without doubles.
func searchPath(path string) []string {
	var dirs []string
	for _, d := range filepath.SplitList(path) {
		if d = filepath.Clean(d); filepath.IsAbs(d) && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	return dirs
}
