// Package validator loads, runs and proves validators: the committed
// deterministic checks that alone may block a merge.
//
// A validator is a folder with a validator.yaml, specified in
// docs/validators.md. Patterns run in this process in linear time; scripts and
// commands run in package sandbox. Whatever does not end in a clear answer is
// Broken, and broken is never a pass.
package validator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/glob"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// Kind says how a validator checks.
type Kind string

// The kinds. Builtin is never read from a file.
const (
	Pattern Kind = "pattern"
	Script  Kind = "script"
	Command Kind = "command"
	BuiltIn Kind = "builtin"
)

// Where says what of a tree a validator judges.
type Where string

// The two answers to "in". The whole tree is the default, because then the same
// tree always gets the same answer.
const (
	WholeTree    Where = "tree"
	ChangedLines Where = "changed_lines"
)

// Validator is one check, as loaded. Load and Builtins make them; a zero
// Validator is Broken when run.
type Validator struct {
	// Name is the folder's name.
	Name string
	// Says is the plain sentence that a failure shows.
	Says string
	Kind Kind
	// Scope lists the globs of the files it judges, see glob.Match. "!" before a
	// glob takes files out.
	Scope []string
	// Run is the program and its first arguments; the files in scope follow.
	// Only scripts and commands have it.
	Run []string
	// Promotes lists the classes that this check decides, 16 hex digits each.
	Promotes []string
	// Timeout bounds one run, files and all; 0 is Input.Timeout.
	Timeout time.Duration
	In      Where
	// Output says what a script or command prints.
	Output Output
	// Directory is where a command runs, relative to the root; "" is the
	// root.
	Directory string
	// Unsandboxed is "sandbox: off": a command that needs the network or a
	// daemon.
	Unsandboxed bool

	// What a pattern asks for.
	mustNot, must []expression
	files         string
	keys          []keyCheck

	// folder holds the validator's own files, nil for a built-in.
	folder fs.FS
	// builtin is the code of a built-in.
	builtin func(*file, Input) []Failure
}

// Folder returns the validator's own files, nil for a built-in.
func (v Validator) Folder() fs.FS { return v.folder }

// Covers reports whether a path is in the validator's scope.
func (v Validator) Covers(path string) bool { return glob.Match(v.Scope, path) }

// expression is an RE2 expression with what can be checked faster first.
type expression struct {
	re *regexp.Regexp
	// literals: every match holds at least one of them. nil means unknown.
	literals []string
}

// Failure is one place where a validator says no. It is the only type that may
// fail a job.
type Failure struct {
	Validator string `json:"validator"`
	// Path is from the repository's root; "" when the check names no file.
	Path string `json:"path,omitempty"`
	// Line is 1-based, 0 for the whole file.
	Line int `json:"line,omitempty"`
	// Column is 1-based, 0 when unknown.
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

// String returns "path:line: message", with what is known.
func (f Failure) String() string {
	var b strings.Builder
	if f.Path != "" {
		b.WriteString(f.Path)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
			if f.Column > 0 {
				fmt.Fprintf(&b, ":%d", f.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	return b.String()
}

// Status is the answer of one run. The zero value is no answer and must not be
// taken for a pass.
type Status string

// The answers.
const (
	// Clean: it ran and found nothing, or nothing was in its scope.
	Clean Status = "clean"
	// Found: it ran and found something.
	Found Status = "found"
	// Broken: it could not be loaded or run, or gave no clear answer.
	Broken Status = "broken"
)

// Result is what one validator answered.
type Result struct {
	Validator string `json:"validator"`
	Says      string `json:"says,omitempty"`
	Kind      Kind   `json:"kind,omitempty"`
	Status    Status `json:"status"`
	// Failures are sorted by path and line. They are all of them; where they
	// are shown they may be capped, here they are not.
	Failures []Failure `json:"failures,omitempty"`
	// Reason says in one line why it is broken, or why it is clean although
	// it judged nothing.
	Reason string `json:"reason,omitempty"`
	// Notes are remarks that do not change the status, such as a result
	// outside of the tree.
	Notes []string `json:"notes,omitempty"`
	// Output is what a script printed, raw: see sandbox.Quote.
	Output string `json:"output,omitempty"`
	// Files is how many files in scope were judged.
	Files int `json:"files"`
	// Level is the sandbox's, 0 for patterns and built-ins.
	Level sandbox.Level `json:"level,omitzero"`
	// Elapsed is the time it took. Patterns run together and share it.
	Elapsed time.Duration `json:"-"`

	// exit is the script's status, for proofs.
	exit int
}

// Passed reports whether the result lets a job pass.
func (r Result) Passed() bool { return r.Status == Clean }

// Range is a range of lines, 1-based and inclusive.
type Range struct{ Start, End int }

// Input is what a validator judges.
type Input struct {
	// Name is what reasons call the tree, such as "the bad samples"; "" where
	// nobody has to be told.
	Name string
	// Tree is the judged tree; nil means Dir.
	Tree fs.FS
	// Dir is the same tree on disk, which scripts run in. "" makes an export
	// of Files when it is needed, for the time of the run. One in the
	// system's temporary directory is opened for others to read, so that the
	// sandbox's user can.
	Dir string
	// Files lists the tracked files, slash-separated from the root; nil means
	// every file of the tree but those in .git.
	Files []string
	// Changed holds the changed lines of every changed file, at the judged
	// tree. nil means that everything counts as changed; an empty map that
	// nothing does. A file with no ranges is one of which only the name or
	// the mode changed.
	Changed map[string][]Range
	// Timeout bounds a run of a validator that names no timeout; 0 is
	// sandbox.DefaultTimeout.
	Timeout time.Duration
	// Runner runs scripts; without one they are broken.
	Runner *sandbox.Runner
	// AllowUnsandboxed permits "sandbox: off". Set it only where the job
	// holds no model key and no write token.
	AllowUnsandboxed bool
	// Exempt lists globs of files that the built-ins leave alone.
	Exempt []string
}

// changed reports whether any of the lines start to end of a file changed.
func (in Input) changed(path string, start, end int) bool {
	if in.Changed == nil {
		return true
	}
	for _, r := range in.Changed[path] {
		if start <= r.End && end >= r.Start {
			return true
		}
	}
	return false
}

// touched reports whether a file changed at all.
func (in Input) touched(path string) bool {
	if in.Changed == nil {
		return true
	}
	_, ok := in.Changed[path]
	return ok
}

// Run runs one validator. To run many, RunAll reads every file once.
func Run(ctx context.Context, v Validator, in Input) Result {
	return RunAll(ctx, []Validator{v}, in)[0]
}

// RunAll runs validators and returns their results in the same order.
func RunAll(ctx context.Context, vs []Validator, in Input) []Result {
	results := make([]Result, len(vs))
	for i, v := range vs {
		results[i] = Result{Validator: v.Name, Says: v.Says, Kind: v.Kind}
	}
	in, done, err := in.complete()
	if err != nil {
		for i := range results {
			results[i].broken("%v", err)
		}
		return results
	}
	defer done()
	var scans []scan
	for i, v := range vs {
		start := time.Now()
		switch v.Kind {
		case Pattern, BuiltIn:
			scans = append(scans, scan{v: v, result: &results[i]})
			continue
		case Script, Command:
			runScript(ctx, v, in, &results[i])
		default:
			results[i].broken("it was not loaded")
		}
		results[i].Elapsed = time.Since(start)
	}
	runScans(ctx, scans, in)
	for i := range results {
		sortFailures(results[i].Failures)
	}
	return results
}

// complete fills in Tree and Files. done must be called in the end.
func (in Input) complete() (full Input, done func(), err error) {
	done = func() {}
	if in.Tree == nil {
		if in.Dir == "" {
			return in, done, errors.New("there is no tree to judge")
		}
		root, err := os.OpenRoot(in.Dir)
		if err != nil {
			return in, done, fmt.Errorf("open the tree: %w", err)
		}
		in.Tree, done = root.FS(), func() { root.Close() }
	}
	if in.Files == nil {
		in.Files, err = listFiles(in.Tree)
	}
	return in, done, err
}

func listFiles(tree fs.FS) ([]string, error) {
	files := []string{}
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("list the tree: %w", err)
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.IsDir():
			files = append(files, p)
		}
		return nil
	})
	return files, err
}

func (r *Result) broken(format string, args ...any) {
	r.Status, r.Reason = Broken, fmt.Sprintf(format, args...)
}

// settle sets the status from what was found.
func (r *Result) settle() {
	switch {
	case r.Status == Broken:
	case len(r.Failures) > 0:
		r.Status = Found
	default:
		r.Status = Clean
		if r.Files == 0 && r.Reason == "" {
			r.Reason = "no file in its scope"
		}
	}
}

func sortFailures(fs []Failure) {
	slices.SortStableFunc(fs, func(a, b Failure) int {
		switch {
		case a.Path != b.Path:
			return strings.Compare(a.Path, b.Path)
		case a.Line != b.Line:
			return a.Line - b.Line
		case a.Column != b.Column:
			return a.Column - b.Column
		}
		return strings.Compare(a.Message, b.Message)
	})
}
