package review

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/glob"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/validator"
)

// What an artifact may be and cost. It was written by a model.
const (
	maxPattern         = 1_000 // bytes of an expression
	maxScript          = 8_000 // bytes of a script
	maxArtifactGlobs   = 10    // of its scope
	maxArtifactFiles   = 200   // that a pattern reads
	maxArtifactScripts = 5     // that one run executes
	maxArtifacts       = 50    // that one run tries
	maxReproduced      = 2_000 // bytes of output that a comment shows
	nearLines          = 3     // lines beside a finding that are still it
	artifactName       = "artifact"
)

// tryArtifacts runs what findings brought, at the head and where the defect must
// not be. A finding whose artifact tells the two apart is tier 1; any other stays
// tier 2 and says why. Nothing here blocks.
func (j *job) tryArtifacts(ctx context.Context) {
	t := &trials{job: j, trees: map[string]string{}}
	defer t.remove()
	for _, r := range append(j.results, &result{claims: j.extra}) {
		for i := range r.claims {
			c := &r.claims[i]
			if c.Artifact == nil {
				continue
			}
			if c.rejected == "" && c.dropped == "" {
				t.try(ctx, c)
			}
			if c.reproduced == nil {
				// An artifact that shows nothing identifies nothing either.
				c.Artifact = nil
			}
		}
	}
}

// tier is what crev makes of a claim; no reviewer says it.
func (c *claim) tier() finding.Tier {
	if c.reproduced != nil {
		return finding.Reproduced
	}
	return finding.Advisory
}

// trials are the artifacts of one run and the trees they are run in.
type trials struct {
	*job
	tried, scripts int
	// trees are exports by commit, made when a script needs one.
	trees map[string]string
	dirs  []string
}

func (t *trials) remove() {
	for _, d := range t.dirs {
		_ = os.RemoveAll(d)
	}
}

// try runs the artifact of one claim and writes down what came of it.
func (t *trials) try(ctx context.Context, c *claim) {
	outcome, reason := validator.NotRun, t.refused(c.Artifact)
	var trial validator.Trial
	if reason == "" {
		var err error
		trial, err = t.run(ctx, c)
		outcome, reason = trial.Outcome, trial.Reason
		if err != nil {
			outcome, reason = validator.Unclear, err.Error()
		}
	}
	t.d.Log.Info("artifact", "path", c.Path, "outcome", string(outcome))
	if outcome != validator.Reproduced {
		c.Evidence = append(c.Evidence, cut(t.redact(fmt.Sprintf("Its artifact shows nothing (%s): %s", outcome, reason)), maxItem))
		return
	}
	c.reproduced = &finding.Reproduction{
		Command: t.redact(commandOf(c)), Exit: 1, Output: cut(t.redact(outputOf(trial.Head)), maxReproduced),
		Head: t.in.Head, Against: trial.Against, Runs: trial.Runs,
	}
}

// refused says why an artifact is not run at all, "" when it is.
func (t *trials) refused(a *finding.Artifact) string {
	t.tried++
	script := a.Kind == finding.ArtifactScript
	switch {
	case !a.Checks():
		return "it is empty"
	case t.tried > maxArtifacts:
		return fmt.Sprintf("a run tries %d artifacts", maxArtifacts)
	case len(a.Pattern) > maxPattern || len(a.Must) > maxPattern || len(a.Script) > maxScript || len(a.Scope) > maxArtifactGlobs:
		return "it is too long"
	case !script:
		return ""
	case !t.cfg.Artifacts.Scripts:
		return "artifacts.scripts is off in the base's configuration, so scripts of a reviewer are not run"
	case t.in.NoScripts != "":
		return t.in.NoScripts
	}
	if t.scripts++; t.scripts > maxArtifactScripts {
		return fmt.Sprintf("a run executes %d scripts of reviewers", maxArtifactScripts)
	}
	if level := t.sandbox().Report().Level; !complete(level) {
		return fmt.Sprintf("the sandbox here is %s, and what a model wrote runs at L3 or better only", level)
	}
	return ""
}

// run lays the states out and runs the artifact in both. The other state is the
// merge base; where that has no file to judge, or shows the same, it is the head
// with the finding's lines as the reviewer would have them.
func (t *trials) run(ctx context.Context, c *claim) (validator.Trial, error) {
	folder, err := t.temp()
	if err != nil {
		return validator.Trial{}, err
	}
	draft := validator.DraftOf(c.Artifact, artifactName, c.Claim, c.Path)
	v, err := validator.LoadDraft(draft, folder)
	if err != nil {
		return validator.Trial{}, err
	}
	head, err := t.state(ctx, v, t.in.Head)
	if err != nil {
		return validator.Trial{}, err
	}
	other, err := t.state(ctx, v, t.mergeBase)
	if err != nil {
		return validator.Trial{}, err
	}
	here := func(f validator.Failure) bool { return near(f.Path, f.Line, c.Path, c.StartLine, c.EndLine) }
	trial := validator.Reproduce(ctx, v, head, other, here)
	if trial.Outcome == validator.NoDifference && c.Artifact.Fixed != "" && c.StartLine > 0 && c.Side != finding.Left {
		if other, err = t.corrected(ctx, v, c); err != nil {
			return trial, err
		}
		trial = validator.Reproduce(ctx, v, head, other, here)
	}
	return trial, nil
}

// near reports whether a failure is where a finding is.
func near(path string, line int, at string, start, end int) bool {
	return path == at && (line == 0 || start == 0 || line >= start-nearLines && line <= end+nearLines)
}

// state is the tree of a commit as an artifact sees it: a pattern the files of its
// scope, a script all of them.
func (t *trials) state(ctx context.Context, v validator.Validator, commit string) (validator.Input, error) {
	entries, err := t.d.Repo.Files(ctx, commit)
	if err != nil {
		return validator.Input{}, err
	}
	in := validator.Input{Name: "commit " + projection.Short(commit), Timeout: t.cfg.Sandbox.Timeout, Files: []string{}}
	for _, e := range entries {
		if executes(v) || glob.Match(v.Scope, e.Path) {
			in.Files = append(in.Files, e.Path)
		}
	}
	if executes(v) {
		in.Runner = t.sandbox()
		in.Dir, err = t.layout(ctx, commit)
		in.Tree = os.DirFS(in.Dir)
		return in, err
	}
	if len(in.Files) > maxArtifactFiles {
		return in, fmt.Errorf("it judges %d files, and %d is the most for a reviewer's pattern", len(in.Files), maxArtifactFiles)
	}
	in.Tree, err = t.d.Repo.Tree(ctx, commit, "")
	return in, err
}

// layout lays the tree of a commit out, once a run.
func (t *trials) layout(ctx context.Context, commit string) (string, error) {
	if dir := t.trees[commit]; dir != "" {
		return dir, nil
	}
	dir, err := t.temp()
	if err != nil {
		return "", err
	}
	t.trees[commit] = dir
	return dir, t.d.Repo.Export(ctx, commit, dir)
}

// corrected is the head with the lines of the finding replaced. It is laid out
// anew, because scripts see other findings' head.
func (t *trials) corrected(ctx context.Context, v validator.Validator, c *claim) (validator.Input, error) {
	in, err := t.state(ctx, v, t.in.Head)
	if err != nil {
		return in, err
	}
	dir, err := t.temp()
	if err != nil {
		return in, err
	}
	to := filepath.Join(dir, "tree")
	if err := validator.Export(in.Tree, in.Files, to); err != nil {
		return in, err
	}
	lines := splitLines(t.text(c.Path))
	if c.EndLine > len(lines) {
		return in, fmt.Errorf("%s has no line %d", c.Path, c.EndLine)
	}
	lines = slices.Concat(lines[:c.StartLine-1], splitLines([]byte(c.Artifact.Fixed)), lines[c.EndLine:])
	if err := replace(to, c.Path, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
		return in, err
	}
	in.Name, in.Dir, in.Tree = "the corrected lines", to, os.DirFS(to)
	return in, nil
}

// replace writes a file anew in an exported tree, which is read-only.
func replace(dir, path string, content []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(path); err != nil {
		return err
	}
	return root.WriteFile(path, content, 0o644)
}

func (t *trials) temp() (string, error) {
	dir, err := os.MkdirTemp("", "crev-artifact-")
	if err == nil {
		t.dirs = append(t.dirs, dir)
	}
	return dir, err
}

// commandOf says in one line what was run.
func commandOf(c *claim) string {
	scope := strings.Join(c.Artifact.Scope, " ")
	if scope == "" {
		scope = c.Path
	}
	switch a := c.Artifact; {
	case a.Kind == finding.ArtifactScript:
		return "./check.sh " + scope
	case a.Pattern != "":
		return fmt.Sprintf("pattern must_not %q in %s", a.Pattern, scope)
	default:
		return fmt.Sprintf("pattern must %q in %s", a.Must, scope)
	}
}

// outputOf is what a run printed; a pattern prints its failures.
func outputOf(r validator.Result) string {
	if r.Output != "" {
		return r.Output
	}
	var b strings.Builder
	for _, f := range r.Failures {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

// byArtifact runs the artifact of a tier 1 defect at the head. It still failing
// there settles that the defect is still there. It passing does not close it by
// itself, because an artifact is narrower than the defect, but it backs an
// inspection that finds every criterion met.
func (j *job) byArtifact(ctx context.Context, d *ledger.Defect, s sight) (failed []proof, passes bool) {
	path := s.answer.Location.Path
	if d.Artifact == nil || d.Reproduced == nil || path == "" {
		return nil, false
	}
	t := &trials{job: j, trees: map[string]string{}}
	defer t.remove()
	if t.refused(d.Artifact) != "" {
		return nil, false
	}
	folder, err := t.temp()
	if err != nil {
		return nil, false
	}
	v, err := validator.LoadDraft(validator.DraftOf(d.Artifact, artifactName, d.Claim, path), folder)
	if err != nil {
		return nil, false
	}
	in, err := t.state(ctx, v, j.in.Head)
	if err != nil {
		return nil, false
	}
	r := validator.Run(ctx, v, in)
	at := s.answer.Location
	i := slices.IndexFunc(r.Failures, func(f validator.Failure) bool { return near(f.Path, f.Line, at.Path, at.Start, at.End) })
	if i >= 0 {
		return []proof{{criterion: -1, Verification: ledger.Verification{Commit: j.in.Head, Method: "static_analysis",
			Outcome: "failed", Criterion: -1, Check: artifactName,
			Evidence: []string{j.redact("its artifact still fails: " + r.Failures[i].String())}}}}, false
	}
	return nil, r.Passed() && r.Files > 0
}

// backed makes inspections that an artifact supports a static analysis.
func backed(proofs []proof) []proof {
	for i := range proofs {
		if p := &proofs[i]; p.Outcome == "passed" && p.Method == "inspection" {
			p.Method, p.Check = "static_analysis", artifactName
			p.Evidence = append(p.Evidence, "its artifact passes at this commit")
		}
	}
	return proofs
}
