package validator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/sandbox"
)

const (
	// maxArguments bounds the bytes of the files named in one call. The
	// kernel takes 2 MiB for arguments and environment together.
	maxArguments = 1 << 20
	// maxSARIF bounds a command's output; a log of a large tree is megabytes.
	maxSARIF = 8 << 20
	// maxShown bounds the output that a result carries.
	maxShown = 64 << 10
)

// commandLimits are those of the team's own tools, which compile and cache.
var commandLimits = sandbox.Limits{Memory: 16 << 30, FileSize: 512 << 20, Files: 4096, Processes: 1024}

// runScript runs a script or command on the files in its scope.
func runScript(ctx context.Context, v Validator, in Input, r *Result) {
	if v.In != ChangedLines {
		in.Changed = nil
	}
	files := slices.DeleteFunc(inScope(v.Scope, in.Files), func(f string) bool { return !in.touched(f) })
	r.Files = len(files)
	if len(files) == 0 {
		r.settle()
		return
	}
	switch {
	case v.Unsandboxed && !in.AllowUnsandboxed:
		r.broken("it says sandbox: off, and that is refused here: the job holds a model key or may write; run it in the gate job, which has neither")
		return
	case in.Runner == nil:
		r.broken("nothing here runs scripts")
		return
	}
	if in.Dir == "" {
		dir, err := exportTemp(in)
		if err != nil {
			r.broken("%v", err)
			return
		}
		defer os.RemoveAll(dir)
		in.Dir = filepath.Join(dir, "tree")
	}
	if abs, err := filepath.Abs(in.Dir); err == nil {
		in.Dir = abs
	}
	openToOthers(in.Dir)
	v.Timeout = cmp.Or(v.Timeout, in.Timeout, sandbox.DefaultTimeout)
	call := call{v: v, in: in, places: newPlaces(in.Files, v.Directory, absolute(in.Dir)...)}
	deadline := time.Now().Add(v.Timeout)
	for _, args := range chunks(v.arguments(files)) {
		left := time.Until(deadline)
		if left <= 0 {
			r.broken("it took longer than %s for all files", v.Timeout)
			return
		}
		call.run(ctx, args, left, r)
		if r.Status == Broken {
			return
		}
	}
	r.settle()
}

// openToOthers lets the sandbox's user into a temporary directory, which is made
// for its owner alone. Nothing is changed elsewhere.
func openToOthers(dir string) {
	info, err := os.Stat(dir)
	temp := filepath.Clean(os.TempDir())
	if err != nil || info.Mode()&0o005 == 0o005 || filepath.Dir(dir) != temp {
		return
	}
	// Where this is refused the script still works by relative paths.
	_ = os.Chmod(dir, info.Mode().Perm()|0o055)
}

// absolute returns the names that a directory may be printed by.
func absolute(dir string) []string {
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

// arguments names the files as seen from where the program runs. One that
// begins with a dash gets "./" before it, so that it is no option.
func (v Validator) arguments(files []string) []string {
	args := make([]string, len(files))
	for i, f := range files {
		if v.Directory != "" {
			f = relativeTo(v.Directory, f)
		}
		if strings.HasPrefix(f, "-") {
			f = "./" + f
		}
		args[i] = f
	}
	return args
}

// relativeTo returns the slash-separated way from one directory of the tree to
// a file of it.
func relativeTo(dir, file string) string {
	up := ""
	for dir != "." {
		if rest, ok := strings.CutPrefix(file, dir+"/"); ok {
			return up + rest
		}
		dir, up = path.Dir(dir), up+"../"
	}
	return up + file
}

// chunks splits arguments into calls that the kernel accepts.
func chunks(args []string) [][]string {
	var all [][]string
	for len(args) > 0 {
		n, size := 0, 0
		for n < len(args) && (n == 0 || size+len(args[n])+1 <= maxArguments) {
			size += len(args[n]) + 1
			n++
		}
		all = append(all, args[:n])
		args = args[n:]
	}
	return all
}

// call is one script on its way through the chunks of its files.
type call struct {
	v      Validator
	in     Input
	places places
}

func (c call) run(ctx context.Context, args []string, timeout time.Duration, r *Result) {
	spec := sandbox.Spec{
		Argv:    slices.Concat(c.v.Run, args),
		Files:   c.v.folder,
		Dir:     filepath.Join(c.in.Dir, filepath.FromSlash(c.v.Directory)),
		Env:     map[string]string{"CREV_VALIDATOR": c.v.Name, "CREV_ROOT": c.in.Dir},
		Timeout: timeout,
		Off:     c.v.Unsandboxed,
	}
	if c.v.Directory != "" {
		spec.ReadOnly = []string{c.in.Dir}
	}
	if c.v.Kind == Command {
		spec.Limits = commandLimits
	}
	if c.v.Kind == Command || c.v.Output == SARIF {
		spec.OutputCap = maxSARIF
	}
	res := c.in.Runner.Run(ctx, spec)
	r.Level, r.exit = res.Level, res.Exit
	// Where the tree was exported to differs from run to run and says nothing.
	shown := string(res.Output[:min(len(res.Output), maxShown)])
	for _, dir := range absolute(c.in.Dir) {
		shown = strings.ReplaceAll(shown, dir, "$CREV_ROOT")
	}
	r.Output += shown
	c.interpret(res, r)
}

// interpret turns an exit status and an output into failures. 0 is clean, 1 is
// found and has to say what; everything else is broken.
func (c call) interpret(res sandbox.Result, r *Result) {
	switch {
	case res.Err != nil:
		r.broken("%v", res.Err)
		return
	case res.TimedOut:
		r.broken("it took longer than %s", c.v.Timeout)
		return
	case res.Exit == 126, res.Exit == 127:
		r.broken("exit status %d: a program that it needs is missing or cannot be executed: %s", res.Exit, lastLine(res.Output))
		return
	case res.Exit > 128:
		r.broken("it was ended by signal %d", res.Exit-128)
		return
	case res.Exit != 0 && res.Exit != 1:
		r.broken("exit status %d, where 0 is clean and 1 is found: %s", res.Exit, lastLine(res.Output))
		return
	}
	if c.v.Output == SARIF || c.v.Output == Auto && strings.HasPrefix(strings.TrimLeft(string(res.Stdout), "\ufeff \t\r\n"), "{") {
		c.readSARIF(res, r)
		return
	}
	if res.Exit == 0 {
		return
	}
	var fails []Failure
	if c.v.Output != ExitOnly {
		fails = c.places.parseLines(string(res.Output), c.v.Says)
	}
	if len(fails) == 0 {
		if c.v.Kind == Script || c.v.Output == Lines || len(strings.TrimSpace(string(res.Output))) == 0 && c.v.Output != ExitOnly {
			r.broken("exit status 1 without a line of the form path:line: message: %s", lastLine(res.Output))
			return
		}
		fails = []Failure{{Message: c.v.Says + " (" + strings.Join(c.v.Run, " ") + " ended with status 1; see its output)"}}
	}
	if res.Cut {
		r.Notes = append(r.Notes, "its output was cut, so there may be more")
	}
	c.keep(fails, r)
}

func (c call) readSARIF(res sandbox.Result, r *Result) {
	if res.Cut {
		r.broken("its SARIF is longer than %d bytes", maxSARIF)
		return
	}
	a, err := c.places.parseSARIF(res.Stdout)
	switch {
	case err != nil:
		r.broken("%v", err)
		return
	case res.Exit == 1 && len(a.failures)+a.suppressed+a.informal == 0:
		r.broken("exit status 1 with a SARIF log that has no result")
		return
	}
	if a.suppressed > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("results suppressed in the code: %d", a.suppressed))
	}
	if a.informal > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("results that are notes only: %d", a.informal))
	}
	c.keep(a.failures, r)
}

// keep adds the failures that count here. On changed lines only, what stands on
// others is counted in a note; what has no place always counts.
func (c call) keep(fails []Failure, r *Result) {
	left := 0
	for _, f := range fails {
		f.Validator = c.v.Name
		switch {
		case f.Path == "", f.Line == 0 && c.in.touched(f.Path), f.Line > 0 && c.in.changed(f.Path, f.Line, f.Line):
			r.Failures = append(r.Failures, f)
		default:
			left++
		}
	}
	if left > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("results on lines that did not change: %d", left))
	}
}

// lastLine returns the last line of an output, short and printable.
func lastLine(output []byte) string {
	text := strings.TrimSpace(string(output))
	if text == "" {
		return "it printed nothing"
	}
	text = text[strings.LastIndexByte(text, '\n')+1:]
	quoted := strings.TrimSpace(strings.TrimPrefix(sandbox.Quote(text[:min(len(text), 200)]), "  | "))
	return "it printed " + fmt.Sprintf("%q", quoted)
}

// exportTemp writes the files of a tree into a new directory, below "tree".
func exportTemp(in Input) (string, error) {
	if in.Tree == nil {
		return "", errors.New("export the tree: there is none")
	}
	dir, err := os.MkdirTemp("", "crev-tree-")
	if err != nil {
		return "", fmt.Errorf("export the tree: %w", err)
	}
	err = os.Chmod(dir, 0o711)
	if err == nil {
		err = Export(in.Tree, in.Files, filepath.Join(dir, "tree"))
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}
