package review

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/sandbox"
	"github.com/crev-ratchet/crev/internal/validator"
)

// runValidators is tier 0: the validators of the base, the built-ins it
// enables, and the ledger's own check, which cannot be switched off. Validators
// that the change itself adds run as advice.
func (j *job) runValidators(ctx context.Context) {
	j.report.Checks = append(j.report.Checks, j.ledgerCheck(ctx))

	tree, remove, err := j.export(ctx)
	if err != nil {
		j.report.Checks = append(j.report.Checks, projection.Check{
			Name: "export", Status: string(validator.Broken), Reason: "the tree could not be laid out for the validators: " + err.Error()})
		return
	}
	defer remove()

	base, problems := loadValidators(j.baseTree)
	j.validators = base
	for _, p := range problems {
		j.report.Checks = append(j.report.Checks, projection.Check{
			Name: p.Validator, Status: string(validator.Broken), Reason: p.String()})
	}
	run := slices.Clone(base)
	for _, b := range validator.Builtins() {
		if slices.Contains(j.cfg.Builtins, b.Name) {
			run = append(run, b.Validator())
		}
	}
	in := j.validatorInput(tree)
	for _, r := range j.runAll(ctx, run, in) {
		j.report.Checks = append(j.report.Checks, j.checkOf(r))
	}
	j.advise(ctx, base, in)
}

// advise runs the validators that only the head has. They block from the next
// pull request on.
func (j *job) advise(ctx context.Context, base []validator.Validator, in validator.Input) {
	if !slices.ContainsFunc(j.files, func(f *diff.File) bool { return strings.HasPrefix(f.Path(), validator.Root+"/") }) {
		return
	}
	head, _ := loadValidators(j.headTree)
	added := slices.DeleteFunc(head, func(v validator.Validator) bool {
		return slices.ContainsFunc(base, func(b validator.Validator) bool { return b.Name == v.Name })
	})
	for _, r := range j.runAll(ctx, added, in) {
		c := j.checkOf(r)
		c.Reason = strings.TrimSuffix("advice until it is merged, "+c.Status+"; "+c.Reason, "; ")
		c.Status = advisory
		j.report.Checks = append(j.report.Checks, c)
	}
}

// advisory is the status of a check that cannot block.
const advisory = "advisory"

// loadValidators reads the validators of a tree; no folder means none.
func loadValidators(tree fs.FS) ([]validator.Validator, []validator.Problem) {
	sub, err := fs.Sub(tree, validator.Root)
	if err != nil {
		panic(err) // Root is a valid path
	}
	return validator.Load(sub)
}

// runAll runs validators, apart from those that would execute something where
// that must not be.
func (j *job) runAll(ctx context.Context, vs []validator.Validator, in validator.Input) []validator.Result {
	if j.in.NoScripts == "" {
		if slices.ContainsFunc(vs, executes) {
			in.Runner = j.sandbox()
		}
		return validator.RunAll(ctx, vs, in)
	}
	var out []validator.Result
	for _, v := range vs {
		if executes(v) {
			out = append(out, validator.Result{Validator: v.Name, Says: v.Says, Status: validator.Broken, Reason: "not run: " + j.in.NoScripts})
			continue
		}
		out = append(out, validator.Run(ctx, v, in))
	}
	return out
}

// sandbox returns what runs scripts, made at the first call.
func (j *job) sandbox() *sandbox.Runner {
	if j.runner == nil {
		j.runner = j.d.Runner(j.cfg.Sandbox.Read)
		j.d.Log.Info("sandbox", "level", j.runner.Report().Level)
	}
	return j.runner
}

// executes reports whether a validator runs a program of the repository.
func executes(v validator.Validator) bool {
	return v.Kind == validator.Script || v.Kind == validator.Command
}

// export lays the head's tree out in a folder of its own: scripts never see the
// live work tree.
func (j *job) export(ctx context.Context) (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "crev-tree-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if err := j.d.Repo.Export(ctx, j.in.Head, dir); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

func (j *job) validatorInput(tree string) validator.Input {
	in := validator.Input{
		Tree: os.DirFS(tree), Dir: tree, Files: j.tracked, Timeout: j.cfg.Sandbox.Timeout,
		Changed:          map[string][]validator.Range{},
		AllowUnsandboxed: !j.d.Secrets,
	}
	for _, f := range j.files {
		if f.NewPath == "" {
			continue
		}
		for _, r := range f.ChangedNew() {
			in.Changed[f.NewPath] = append(in.Changed[f.NewPath], validator.Range{Start: r.Start, End: r.End})
		}
	}
	return in
}

func (j *job) checkOf(r validator.Result) projection.Check {
	c := projection.Check{Name: r.Validator, Says: r.Says, Status: string(r.Status), Reason: j.redact(r.Reason)}
	for _, f := range r.Failures {
		c.Failures = append(c.Failures, projection.Failure{Path: f.Path, Line: f.Line, Message: j.redact(f.Message)})
	}
	j.d.Log.Info("validator "+r.Validator, "result", c.Status, "found", len(c.Failures))
	return c
}

// ledgerCheck compares the .crev folder of the head with that of the merge base.
func (j *job) ledgerCheck(ctx context.Context) projection.Check {
	c := projection.Check{Name: "ledger", Says: "The ledger only grows.", Status: string(validator.Clean)}
	before, err := j.d.Repo.Tree(ctx, j.mergeBase, "")
	if err != nil {
		c.Status, c.Reason = string(validator.Broken), err.Error()
		return c
	}
	for _, p := range ledger.CheckAppend(crevFolder(before), crevFolder(j.headTree)) {
		c.Status = string(validator.Found)
		c.Failures = append(c.Failures, projection.Failure{Path: ".crev/" + p.Path, Line: p.Line, Message: p.Msg})
	}
	return c
}

// ledgerClean reports whether the ledger check of this run found nothing.
func (j *job) ledgerClean() bool {
	i := slices.IndexFunc(j.report.Checks, func(c projection.Check) bool { return c.Name == "ledger" })
	return i >= 0 && j.report.Checks[i].Status == string(validator.Clean)
}

// crevFolder is the .crev folder of a tree, empty where there is none.
func crevFolder(tree fs.FS) fs.FS {
	sub, err := fs.Sub(tree, ".crev")
	if err != nil {
		panic(err) // it is a valid path
	}
	return sub
}

// blocked reports whether tier 0 fails: a validator found something, or could
// not be run.
func blocked(checks []projection.Check) (failed, broken int) {
	for _, c := range checks {
		switch c.Status {
		case string(validator.Found):
			failed++
		case string(validator.Broken):
			broken++
		}
	}
	return failed, broken
}

// gateReason says in a few words why tier 0 fails, "" when it does not.
func gateReason(checks []projection.Check) string {
	failed, broken := blocked(checks)
	var parts []string
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%s failed", plural(failed, "validator")))
	}
	if broken > 0 {
		parts = append(parts, fmt.Sprintf("%s could not be run", plural(broken, "validator")))
	}
	return strings.Join(parts, ", ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "one " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
