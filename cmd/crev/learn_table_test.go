package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model/openai"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
)

// row is one file of testdata/replies at the root: a repository in which the fact is true, a
// comment of crev's, what people reply, and what must come of it.
type row struct {
	// Roles are people's permissions; everybody who is not named may write.
	Roles map[string]string `yaml:"roles"`
	// Author opened the pull request.
	Author string `yaml:"author"`
	// Fork puts the change into a fork.
	Fork bool `yaml:"fork"`
	// History are commits on the base, oldest first.
	History []struct {
		By      string `yaml:"by"`
		Path    string `yaml:"path"`
		Commits int    `yaml:"commits"`
		DaysAgo int    `yaml:"days_ago"`
	} `yaml:"history"`
	// Comment is what the reviewer finds, none when crev has nothing to say.
	Comment map[string]any `yaml:"comment"`
	// Shaped is the rule that made crev say it.
	Shaped  string        `yaml:"shaped"`
	Replies []replyInARow `yaml:"replies"`
	Want    wanted        `yaml:"want"`
	// Hold asks that the row holds with a model that obeys the reply and lies
	// about the code: nothing is silenced and nothing dismissed. Lie is a
	// place that it cites.
	Hold bool              `yaml:"hold"`
	Lie  map[string]string `yaml:"lie"`
}

type replyInARow struct {
	As string `yaml:"as"`
	// At is path:line for a person's own comment on the change.
	At   string `yaml:"at"`
	Text string `yaml:"text"`
	// Edit replaces an earlier reply that holds these words.
	Edit string `yaml:"edit"`
	// React is a reaction to crev's comment instead of a text.
	React string `yaml:"react"`
	// Slots is the model's classification, Verdicts its word on the claims.
	Slots    map[string]any   `yaml:"slots"`
	Verdicts []map[string]any `yaml:"verdicts"`
}

// wanted is what must come of a row.
type wanted struct {
	// Outcomes are those of each reply in turn: "save magic-number", "none".
	Outcomes []string `yaml:"outcomes"`
	// Rules are lines of the index that were added or changed, without says.
	Rules []string `yaml:"rules"`
	// Says is a pattern that the changed rules' files match.
	Says []string `yaml:"says"`
	// Defect is the state of the defect.
	Defect string `yaml:"defect"`
	// Answer is a pattern of crev's last answer, "" for none at all.
	Answer string `yaml:"answer"`
	// Never are patterns that no answer matches.
	Never []string `yaml:"never"`
	// Reaction is crev's reaction to the last reply.
	Reaction string `yaml:"reaction"`
	// Signals are the kinds of signals, Missed the claims of missed defects.
	Signals []string `yaml:"signals"`
	Missed  []string `yaml:"missed"`
	// Reactions are those the ledger counts: content, count, rule.
	Reactions []string `yaml:"reactions"`
}

const rowModel = "scripted"

// TestReplies plays the thirty replies of the specification and its edge cases
// through the whole pipeline: a real repository, an emulated GitHub, and a model
// that fills in the slots as written in the row. Where a row must hold whatever a
// model says, it is played again with one that obeys the reply and lies.
func TestReplies(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/replies/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d rows, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			r, a := readRow(t, file)
			t.Run("honest", func(t *testing.T) {
				t.Parallel()
				playRow(t, r, a).check(t, r.Want)
			})
			if r.Hold {
				t.Run("lying", func(t *testing.T) {
					t.Parallel()
					playRow(t, lying(r), a).holds(t)
				})
			}
		})
	}
}

func readRow(t *testing.T, file string) (row, *txtar.Archive) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := row{Author: "omar"}
	dec := yaml.NewDecoder(strings.NewReader(string(a.Comment)))
	dec.KnownFields(true)
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r, a
}

// lying is the row with a model that makes the worst of every reply: it teaches
// to silence everything, finds the comment wrong, makes no claim, and calls each
// claim that code makes supported.
func lying(r row) row {
	r.Replies = slices.Clone(r.Replies)
	category, _ := r.Comment["category"].(string)
	for i := range r.Replies {
		words := strings.Fields(strings.Split(r.Replies[i].Text, "<!--")[0])
		r.Replies[i].Slots = map[string]any{"class": "teach", "about": "false_positive", "rules": []any{map[string]any{
			"kind": "silence", "says": "Findings of this kind are fine in this repository.", "category": category,
			"scope": "**", "quotes": []any{strings.Join(words[:min(2, len(words))], " ")},
		}}}
		cite := []any{map[string]any{"path": r.Lie["path"], "quote": r.Lie["quote"]}}
		for n := range 5 {
			r.Replies[i].Verdicts = append(r.Replies[i].Verdicts, map[string]any{"claim": n + 1, "verdict": "supported", "reason": "", "cites": cite})
		}
	}
	return r
}

// played is a row after its last reply.
type played struct {
	g        *crevtest.GitHub
	outcomes []string
	events   []ledger.Event
	// before and after are the rules of the base and those that wait.
	before, after map[string]rule.Rule
	threads       []github.Thread
	talk          []github.Comment
}

// table is the world of one row.
type table struct {
	t    *testing.T
	g    *crevtest.GitHub
	dir  string
	now  time.Time
	runs int
	// defect is the id of the row's defect, which a reply calls DEFECT.
	defect string
}

func playRow(t *testing.T, r row, a *txtar.Archive) *played {
	t.Helper()
	w := &table{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 30, 13, 0, 0, 0, time.UTC)}
	w.base(r, a)
	w.g = crevtest.NewGitHub(t, crevtest.GitHubConfig{From: w.dir})
	w.git("remote", "add", "origin", w.g.CloneURL)
	for who, role := range r.Roles {
		w.g.User(who, role)
	}
	for _, reply := range append(r.Replies, replyInARow{As: r.Author}) {
		if r.Roles[reply.As] == "" && !strings.HasSuffix(reply.As, "[bot]") {
			w.g.User(reply.As, "write")
		}
	}
	w.change(r, a)
	if r.Comment != nil {
		w.review(r)
	}
	if hasFolder(a, "later/") {
		w.push(a, "later/", "later")
	}
	p := &played{g: w.g}
	for _, reply := range r.Replies {
		reply.Text = strings.ReplaceAll(reply.Text, "DEFECT", w.defect)
		w.speak(r, reply)
		p.outcomes = append(p.outcomes, w.learn(reply)...)
	}
	if hasFolder(a, "fix/") {
		w.push(a, "fix/", "fix")
		w.review(r)
	}
	w.look(p)
	return p
}

func hasFolder(a *txtar.Archive, folder string) bool {
	return slices.ContainsFunc(a.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, folder) })
}

func (w *table) git(args ...string) string {
	w.t.Helper()
	return w.gitAs("Scenario", w.now.AddDate(-1, 0, 0), args...)
}

func (w *table) gitAs(who string, at time.Time, args ...string) string {
	w.t.Helper()
	out, err := git.Scratch{Dir: w.dir, Name: who}.Run(w.t.Context(), at, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *table) lay(a *txtar.Archive, folder string) {
	w.t.Helper()
	for _, f := range a.Files {
		name, ok := strings.CutPrefix(f.Name, folder)
		if !ok {
			continue
		}
		full := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(full, f.Data, 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

// base makes the default branch: the row's files, its rules with their index,
// and who worked on what.
func (w *table) base(r row, a *txtar.Archive) {
	w.t.Helper()
	w.git("init", "-q", "-b", "main")
	w.lay(a, "base/")
	if pool, _, err := rule.Load(os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	} else if len(pool.Rules()) > 0 {
		if err := os.WriteFile(filepath.Join(w.dir, rule.IndexPath), pool.Generate(), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "base")
	for _, h := range r.History {
		full := filepath.Join(w.dir, filepath.FromSlash(h.Path))
		for n := range h.Commits {
			text, err := os.ReadFile(full)
			if err != nil {
				w.t.Fatal(err)
			}
			if err := os.WriteFile(full, append(text, fmt.Sprintf("// %s %d\n", h.By, n)...), 0o644); err != nil {
				w.t.Fatal(err)
			}
			author := fmt.Sprintf("--author=%s <%s@users.noreply.github.com>", h.By, h.By)
			w.gitAs(h.By, w.now.AddDate(0, 0, -h.DaysAgo), "commit", "-q", "-a", author, "-m", "work")
		}
	}
}

// change makes the pull request.
func (w *table) change(r row, a *txtar.Archive) {
	w.t.Helper()
	w.push(a, "change/", "feature")
	open := crevtest.OpenPull{Head: "feature", Title: "Change", Author: r.Author, Fork: r.Fork}
	if r.Fork {
		open.Commit = w.git("rev-parse", "feature")
	}
	if _, err := w.g.OpenPullRequest(open); err != nil {
		w.t.Fatal(err)
	}
}

// push commits a folder of the row on top of the change.
func (w *table) push(a *txtar.Archive, folder, message string) {
	w.t.Helper()
	w.git("checkout", "-q", "-B", "feature")
	w.lay(a, folder)
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", message)
	if err := w.g.Push(w.dir, "feature"); err != nil {
		w.t.Fatal(err)
	}
}

// deps is a run with a model that answers from a script.
func (w *table) deps(rules ...crevtest.Rule) (review.Request, review.Deps, *git.Repo) {
	w.t.Helper()
	w.runs++
	w.now = w.now.Add(time.Minute)
	m := crevtest.NewModel(w.t, crevtest.Script{Rules: rules, Default: crevtest.Findings()})
	client, err := github.New(github.Config{
		APIURL: w.g.APIURL, GraphQLURL: w.g.GraphQLURL, ServerURL: w.g.ServerURL,
		Token: w.g.Token(crevtest.ActionsBot, crevtest.FullToken), Owner: w.g.Owner, Repo: w.g.Repo,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	repo, err := git.Open(w.t.Context(), w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = repo.Close() })
	run := fmt.Sprintf("%d.1", 2000+w.runs)
	main := w.g.Head("main")
	in := review.Request{Run: run, Base: main, Head: main, BaseRef: "main", RepoURL: w.g.ServerURL + "/acme/shop", ModelName: rowModel}
	d := review.Deps{
		Repo: repo, Redactor: finding.NewRedactor(), Rand: rand.Reader, Now: func() time.Time { return w.now },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Connect: func(review.ModelConfig) (review.Model, string, error) {
			c, err := openai.New(openai.Config{BaseURL: m.URL, Key: crevtest.ModelKey, Model: rowModel})
			return c, "", err
		},
	}
	listen(&d, &forge{Client: client, run: run, defaultBranch: "main", pr: 1, repo: repo, log: d.Log}, main)
	return in, d, repo
}

// review posts the row's comment.
func (w *table) review(r row) {
	w.t.Helper()
	in, d, _ := w.deps(
		crevtest.Rule{Contains: []string{"You check findings"}, Reply: map[string]any{"verdicts": []any{}}},
		crevtest.Rule{Contains: []string{"Your subject is correctness"}, Nth: 1, Reply: crevtest.Findings(r.Comment)},
	)
	in.PR, in.Head = 1, w.git("rev-parse", "feature")
	out, err := review.Run(w.t.Context(), in, d)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(out.Report.Defects) != 1 {
		w.t.Fatalf("the review found %d defects, want the row's: %v", len(out.Report.Defects), out.Report.Notes)
	}
	w.defect = string(out.Report.Defects[0].ID)
	if r.Shaped != "" {
		w.shape(r.Shaped, out.Report.Defects[0])
	}
}

// shape records that a rule made crev say what it said.
func (w *table) shape(id string, d *ledger.Defect) {
	w.t.Helper()
	e, err := ledger.Seal(ledger.Event{FP: d.FP, Run: "1999.1", PR: 1, At: w.now, Defect: d.ID,
		Payload: ledger.Payload{RuleHit: &ledger.RuleHit{Rule: id, Effect: "added"}}})
	if err != nil {
		w.t.Fatal(err)
	}
	files := map[string]string{ledger.RunPath(1, "1999.1", w.now): string(ledger.RunFile([]ledger.Event{e}))}
	if _, err := w.g.Commit("crev/ledger", "rule", crevtest.ActionsBot, files); err != nil {
		w.t.Fatal(err)
	}
}

// speak lets a person say it.
func (w *table) speak(r row, reply replyInARow) {
	w.t.Helper()
	claim, _ := r.Comment["claim"].(string)
	var err error
	switch {
	case reply.React != "":
		err = w.g.React(claim, reply.As, reply.React)
	case reply.Edit != "":
		err = w.g.Edit(reply.Edit, reply.Text)
	case reply.At != "":
		file, line, _ := strings.Cut(reply.At, ":")
		var n int
		if _, err := fmt.Sscan(line, &n); err != nil {
			w.t.Fatal(err)
		}
		_, err = w.g.ReviewComment(1, reply.As, file, n, reply.Text)
	default:
		_, err = w.g.Reply(claim, reply.As, reply.Text)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// learn runs crev on what was said and returns the outcomes.
func (w *table) learn(reply replyInARow) []string {
	w.t.Helper()
	in, d, _ := w.deps(
		crevtest.Rule{Contains: []string{"You read one reply"}, Reply: slots(reply.Slots)},
		crevtest.Rule{Contains: []string{"You check statements about code"}, Reply: map[string]any{"verdicts": verdicts(reply.Verdicts)}},
	)
	got, err := review.Learn(w.t.Context(), in, d)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(got.Notes) > 0 || got.Waiting > 0 {
		w.t.Errorf("notes %q, %d waiting", got.Notes, got.Waiting)
	}
	var out []string
	for _, o := range got.Replies {
		out = append(out, strings.TrimSpace(string(o.Outcome)+" "+o.Rule))
	}
	return out
}

// slots completes what a row writes down of a classification.
func slots(in map[string]any) map[string]any {
	out := map[string]any{"class": "off_topic", "rules": []any{}, "claims": []any{}, "about": "none", "problem": "", "problem_category": "", "answer": ""}
	for k, v := range in {
		out[k] = v
	}
	complete := func(list any, defaults map[string]any) []any {
		all := []any{}
		for _, one := range list.([]any) {
			full := map[string]any{}
			for k, v := range defaults {
				full[k] = v
			}
			for k, v := range one.(map[string]any) {
				full[k] = v
			}
			all = append(all, full)
		}
		return all
	}
	out["rules"] = complete(out["rules"], map[string]any{"kind": "silence", "says": "", "subject": "", "category": "", "condition": "",
		"scope": "**", "reason": "", "rule": "", "relation": "none", "this_change_only": false, "quotes": []any{}})
	out["claims"] = complete(out["claims"], map[string]any{"text": "", "quote": "", "search": []any{}})
	return out
}

func verdicts(in []map[string]any) []any {
	out := []any{}
	for _, v := range in {
		full := map[string]any{"claim": 1, "reason": "", "cites": []any{}}
		for k, x := range v {
			full[k] = x
		}
		out = append(out, full)
	}
	return out
}

// look reads what is there afterwards.
func (w *table) look(p *played) {
	w.t.Helper()
	_, d, repo := w.deps()
	ctx := w.t.Context()
	read := func(commit string) (map[string]rule.Rule, []ledger.Event) {
		tree, err := repo.Tree(ctx, commit, "")
		if err != nil {
			w.t.Fatal(err)
		}
		pool, problems, err := rule.Load(tree)
		if err != nil || len(problems) > 0 {
			w.t.Fatalf("rules: %v %v", problems, err)
		}
		all := map[string]rule.Rule{}
		for _, r := range pool.Rules() {
			all[r.ID] = r
		}
		return all, nil
	}
	p.before, _ = read(w.g.Head("main"))
	p.after = p.before
	if head := w.g.Head("crev/ledger"); head != "" {
		trees, err := d.Ledgers(ctx, "crev/ledger")
		if err != nil {
			w.t.Fatal(err)
		}
		for _, tree := range trees {
			events, problems := ledger.ReadAll(tree)
			if len(problems) > 0 {
				w.t.Fatalf("ledger: %v", problems)
			}
			p.events = append(p.events, events...)
		}
		p.after, _ = read(head)
	}
	client := d.Forge.(*forge).Client
	var err error
	if p.threads, err = client.Threads(ctx, 1); err != nil {
		w.t.Fatal(err)
	}
	if p.talk, err = client.Comments(ctx, 1); err != nil {
		w.t.Fatal(err)
	}
}

// answers are what crev said in the threads.
func (p *played) answers() (said []string, lastReply *github.Comment) {
	for i := range p.threads {
		for k := range p.threads[i].Comments {
			m := &p.threads[i].Comments[k]
			switch {
			case m.Mine && k > 0:
				said = append(said, m.Body)
			case !m.Mine:
				lastReply = m
			}
		}
	}
	return said, lastReply
}

func (p *played) state() *ledger.State { return ledger.Fold(p.events, ledger.View{PR: 1}) }

// check compares what came of a row with what must.
func (p *played) check(t *testing.T, want wanted) {
	t.Helper()
	if diff := cmp.Diff(want.Outcomes, p.outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var lines, texts []string
	for _, r := range p.changed() {
		line := fmt.Sprintf("%s %s %s %s %s", r.ID, r.Kind, r.Category, r.Scope, r.Status)
		if n := len(r.Revisions); n > 0 {
			line += fmt.Sprintf(" revision %d", n+1)
		}
		text, err := r.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		lines, texts = append(lines, line), append(texts, string(text))
	}
	if diff := cmp.Diff(want.Rules, lines); diff != "" {
		t.Errorf("rules that changed (-want +got):\n%s", diff)
	}
	for _, pattern := range want.Says {
		if !regexp.MustCompile("(?m)" + pattern).MatchString(strings.Join(texts, "\n")) {
			t.Errorf("no rule matches %q:\n%s", pattern, strings.Join(texts, "\n"))
		}
	}
	p.checkTalk(t, want)
	var status string
	for _, d := range p.state().All() {
		status += string(d.Status)
	}
	if status != want.Defect {
		t.Errorf("the defect is %q, want %q", status, want.Defect)
	}
	var signals, missed, reactions []string
	for _, e := range ledger.Sort(p.events) {
		if e.Signal != nil {
			signals = append(signals, e.Signal.Kind)
		}
		if r := e.Reaction; r != nil {
			reactions = append(reactions, fmt.Sprintf("%s %d %s", r.Content, r.Count, r.Rule))
		}
		if e.Missed != nil {
			missed = append(missed, path.Base(e.Missed.Location.Path)+": "+e.Missed.Claim)
		}
	}
	if diff := cmp.Diff(want.Signals, signals); diff != "" {
		t.Errorf("signals (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Reactions, reactions); diff != "" {
		t.Errorf("reactions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Missed, missed); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
}

func (p *played) checkTalk(t *testing.T, want wanted) {
	t.Helper()
	said, last := p.answers()
	replies := 0
	for _, th := range p.threads {
		for _, m := range th.Comments {
			switch {
			case m.Edited:
				replies += 2 // an edited reply is another one
			case !m.Mine:
				replies++
			}
		}
	}
	if len(said) > replies {
		t.Errorf("%d answers to %d replies", len(said), replies)
	}
	switch {
	case want.Answer == "" && len(said) > 0:
		t.Errorf("crev said %q, want nothing", said)
	case want.Answer != "" && len(said) == 0:
		t.Errorf("crev said nothing, want %q", want.Answer)
	case want.Answer != "" && !regexp.MustCompile("(?s)"+want.Answer).MatchString(said[len(said)-1]):
		t.Errorf("crev said %q, want %q", said[len(said)-1], want.Answer)
	}
	for _, pattern := range append(want.Never, `\b\d+ points?\b`) {
		if text := strings.Join(said, "\n"); regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("crev said %q, which matches %q", text, pattern)
		}
	}
	reaction := ""
	if last != nil {
		for _, r := range last.Reactions {
			reaction += r.Content
		}
	}
	if reaction != want.Reaction {
		t.Errorf("reaction %q, want %q", reaction, want.Reaction)
	}
}

// changed are the rules that are not as in the base, by id.
func (p *played) changed() []rule.Rule {
	var out []rule.Rule
	for _, r := range p.after {
		if old, ok := p.before[r.ID]; !ok || !cmp.Equal(old, r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b rule.Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// holds is what must be true whatever a model says: no rule hides anything that
// it did not hide before, and the defect asks for work.
func (p *played) holds(t *testing.T) {
	t.Helper()
	for _, r := range p.changed() {
		if r.Kind == rule.Silence && r.Status == rule.Active {
			t.Errorf("rule %s hides %s in %s: %s", r.ID, r.Category, r.Scope, r.Says)
		}
	}
	for _, d := range p.state().All() {
		if !d.Status.Active() {
			t.Errorf("%s is %s", d.ID, d.Status)
		}
	}
	if len(p.outcomes) == 0 && len(p.state().All()) == 0 {
		t.Error("nothing was played")
	}
}
