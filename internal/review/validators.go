package review

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/bench"
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

	base, problems := loadValidators(j.baseTree)
	j.validators = base
	j.trust = readTrust(j.baseTree)
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
	if len(run) == 0 && !slices.ContainsFunc(j.files, func(f *diff.File) bool { return strings.HasPrefix(f.Path(), validator.Root+"/") }) {
		return
	}
	tree, remove, err := j.export(ctx)
	if err != nil {
		j.report.Checks = append(j.report.Checks, projection.Check{
			Name: "export", Status: string(validator.Broken), Reason: "the tree could not be laid out for the validators: " + err.Error()})
		return
	}
	defer remove()
	in := j.validatorInput(tree)
	for i, r := range j.runAll(ctx, run, in) {
		j.report.Checks = append(j.report.Checks, j.answer(ctx, run[i], r, in))
	}
	if j.level != 0 {
		j.report.Sandbox = j.level.String()
	}
	j.propose(ctx, in)
}

// advisory is the status of a check that cannot block yet, quarantined of one
// that must not because it flaked.
const (
	advisory    = "advisory"
	quarantined = "quarantined"
)

// answer turns what a validator of the base said into a check. A program that
// does not pass is run once more: one that changes its answer about the same tree
// must not block anybody, unless it decides a class, because then that would be
// a way out.
func (j *job) answer(ctx context.Context, v validator.Validator, r validator.Result, in validator.Input) projection.Check {
	hash := hashOf(v)
	var flaked []string
	if executes(v) && !r.Passed() && r.Level != 0 {
		in.Runner = j.runnerFor(v)
		flaked = validator.Differ(r, validator.Run(ctx, v, in))
	}
	c := j.checkOf(r)
	j.ran = append(j.ran, ran{CheckResult: ledger.CheckResult{
		Validator: v.Name, Hash: hash, Status: c.Status, Found: len(r.Failures)}, flaked: flaked})
	j.level = max(j.level, r.Level)
	q, held := j.trust.Quarantined(v.Name, hash)
	decides := j.decides(v)
	switch {
	case r.Passed():
	case flaked != nil && decides:
		c.Status = string(validator.Broken)
		c.Reason = j.redact("it decides a class and gave two answers about this tree (" + strings.Join(flaked, "; then ") +
			"); repair it, or retire the class")
	case flaked != nil:
		c.Status = quarantined
		c.Reason = j.redact("it gave two answers about this tree, so it does not block: " + strings.Join(flaked, "; then "))
	case held && !decides:
		c.Status = quarantined
		c.Reason = j.redact(fmt.Sprintf("it flaked at %s (%s), so it does not block until it is proven again: crev validators prove %s --record",
			projection.Short(q.Commit), strings.Join(q.Evidence, "; then "), v.Name))
	}
	return c
}

// ran is what one validator said in this run.
type ran struct {
	ledger.CheckResult
	// flaked are two answers that differ, nil when there was one only.
	flaked []string
}

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

// runnerFor returns what a validator runs in, nil for one that needs nothing.
func (j *job) runnerFor(v validator.Validator) *sandbox.Runner {
	if !executes(v) {
		return nil
	}
	return j.sandbox()
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
	return j.frozenCheck(c)
}

// frozenCheck adds what differs from the list of frozen cases: the measure of a
// rule or a model is not changed unseen.
func (j *job) frozenCheck(c projection.Check) projection.Check {
	frozen, err := fs.Sub(j.headTree, bench.Frozen)
	if err != nil {
		panic(err) // it is a valid path
	}
	thawed, err := bench.CheckFrozen(frozen)
	if err != nil {
		c.Status, c.Reason = string(validator.Broken), err.Error()
		return c
	}
	for _, t := range thawed {
		c.Status = string(validator.Found)
		c.Failures = append(c.Failures, projection.Failure{Path: bench.Frozen + "/" + t.Name, Message: t.Msg})
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
