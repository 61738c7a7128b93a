package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/validator"
)

// propose looks at the validators that the change adds or changes. They judge
// nobody yet: a new one runs as advice, and each is proven on its samples, so
// that its pull request shows what a merge would mean. One that decides a class
// must not come out weaker.
func (j *job) propose(ctx context.Context, in validator.Input) {
	touched := j.touchedValidators()
	if len(touched) == 0 {
		return
	}
	head, problems := loadValidators(j.headTree)
	ratchet := projection.Check{Name: "ratchet", Says: "What a validator decides stays decided.", Status: string(validator.Clean)}
	for _, name := range touched {
		v, ok := named(head, name)
		old, known := named(j.validators, name)
		switch {
		case ok && !known:
			j.report.Checks = append(j.report.Checks, j.advise(ctx, v, in))
		case ok && j.decides(old):
			ratchet.Failures = append(ratchet.Failures, j.weaker(ctx, old, v)...)
		}
		if ok {
			j.report.Proofs = append(j.report.Proofs, j.prove(ctx, v, false))
		}
	}
	for _, p := range problems {
		if slices.Contains(touched, p.Validator) {
			j.report.Proofs = append(j.report.Proofs, projection.Proof{
				Validator: p.Validator, Verdict: string(validator.Unproven), Reason: p.String(), Remedy: validator.Unproven.Remedy()})
		}
	}
	if len(ratchet.Failures) > 0 {
		ratchet.Status = string(validator.Found)
		j.report.Checks = append(j.report.Checks, ratchet)
	}
}

// touchedValidators lists the validators in whose folders the change has files,
// in order.
func (j *job) touchedValidators() []string {
	var names []string
	for _, f := range j.files {
		for _, p := range []string{f.OldPath, f.NewPath} {
			rest, below := strings.CutPrefix(p, validator.Root+"/")
			name, _, inFolder := strings.Cut(rest, "/")
			if below && inFolder && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// decides reports whether a validator of the base decides a class.
func (j *job) decides(v validator.Validator) bool {
	return len(v.Promotes) > 0 || len(j.trust.decides(v.Name)) > 0
}

// advise runs a validator that only the head has. It blocks from the next pull
// request on.
func (j *job) advise(ctx context.Context, v validator.Validator, in validator.Input) projection.Check {
	if reason := j.noScripts(v); reason != "" {
		return projection.Check{Name: v.Name, Says: v.Says, Status: advisory, Reason: "advice until it is merged, not run: " + reason}
	}
	c := j.checkOf(j.runAll(ctx, []validator.Validator{v}, in)[0])
	c.Reason = strings.TrimSuffix("advice until it is merged, "+c.Status+"; "+c.Reason, "; ")
	c.Status = advisory
	return c
}

// noScripts says why a validator of the head is not executed here, "" when it
// may be: never in a job that holds a secret, whatever the sandbox.
func (j *job) noScripts(v validator.Validator) string {
	switch {
	case !executes(v):
		return ""
	case j.in.NoScripts != "":
		return j.in.NoScripts
	case j.d.Secrets:
		return "this job holds a key or a token that may write; the gate's job runs it"
	}
	return ""
}

// prove runs a validator on its own samples. One of the base may run wherever
// the base's validators do.
func (j *job) prove(ctx context.Context, v validator.Validator, ofBase bool) projection.Proof {
	p := projection.Proof{Validator: v.Name, Decides: j.decided(v.Promotes)}
	if reason := j.noScripts(v); reason != "" && !ofBase {
		p.Verdict, p.Reason = projection.NotProvenHere, reason
		return p
	}
	bad, good, err := v.Samples()
	if err != nil {
		p.Verdict, p.Reason = string(validator.Unproven), err.Error()
		p.Remedy = validator.Unproven.Remedy()
		if errors.Is(err, validator.ErrNoSamples) {
			p.Remedy = "Without both it can show nothing; `crev ledger promote --scaffold FP` writes them from what the ledger recorded."
		}
		return p
	}
	bad.Runner = j.runnerFor(v)
	good.Runner = bad.Runner
	proof := validator.Prove(ctx, v, bad, good)
	p.Verdict, p.Reason, p.Remedy = string(proof.Verdict), j.redact(proof.Reason), proof.Verdict.Remedy()
	p.Run = j.redact(proof.Show())
	return p
}

// decided describes the classes that a validator claims, as the base's ledger
// knows them.
func (j *job) decided(classes []string) []projection.Decided {
	if len(classes) == 0 {
		return nil
	}
	claims := map[string]string{}
	for _, known := range j.knownClasses() {
		claims[known.FP] = known.Claim
	}
	var out []projection.Decided
	for _, fp := range classes {
		out = append(out, projection.Decided{Class: fp, Claim: claims[fp]})
	}
	return out
}

// knownClasses counts the classes of the base's ledger.
func (j *job) knownClasses() []ledger.Class {
	folder, err := fs.Sub(j.baseTree, ledger.Folder)
	if err != nil {
		panic(err) // Folder is a valid path
	}
	classes, _ := ledger.Tally(folder, ledger.Ratchet{}) // problems are the ledger check's
	return classes
}

// weaker lists how a changed validator sees less than the one it replaces: files
// of the tree or samples that it no longer judges, samples that are gone, and
// bad samples that it no longer finds.
func (j *job) weaker(ctx context.Context, old, v validator.Validator) []projection.Failure {
	if j.trust.released(old) {
		return nil
	}
	file := path.Join(validator.Root, v.Name, "validator.yaml")
	fail := func(format string, args ...any) projection.Failure {
		return projection.Failure{Path: file, Message: fmt.Sprintf("validator %s decides a class and %s; restore it, or retire the class first: crev ledger retire FP --reason WHY --by LOGIN",
			v.Name, fmt.Sprintf(format, args...))}
	}
	var out []projection.Failure
	for _, fp := range old.Promotes {
		if !slices.Contains(v.Promotes, fp) && !j.trust.retired(fp) {
			out = append(out, fail("no longer names class %s", fp))
		}
	}
	if old.In == validator.WholeTree && v.In == validator.ChangedLines {
		out = append(out, fail("judges changed lines only"))
	}
	i := slices.IndexFunc(j.tracked, func(p string) bool { return old.Covers(p) && !v.Covers(p) })
	if i >= 0 {
		out = append(out, fail("no longer judges %s", j.tracked[i]))
	}
	return append(out, j.blind(ctx, old, v, fail)...)
}

// blind lists the bad samples of the base that the changed validator lost.
func (j *job) blind(ctx context.Context, old, v validator.Validator, fail func(string, ...any) projection.Failure) []projection.Failure {
	bad, _, err := old.Samples()
	if err != nil {
		return nil // it was proven at a commit; the ledger check wants a new proof
	}
	for _, p := range bad.Files {
		was, err := fs.ReadFile(bad.Tree, p)
		is, gone := fs.ReadFile(v.Folder(), path.Join("bad", p))
		if err == nil && (gone != nil || string(was) != string(is)) {
			return []projection.Failure{fail("lost its bad sample %s", p)}
		}
	}
	if reason := j.noScripts(v); reason != "" {
		j.note("whether validator %s still finds its bad samples was not checked: %s", v.Name, reason)
		return nil
	}
	bad.Runner = j.runnerFor(v)
	if r := validator.Run(ctx, v, bad); r.Status != validator.Found {
		return []projection.Failure{fail("finds nothing any more in the bad samples it was proven on")}
	}
	return nil
}
