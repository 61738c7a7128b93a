package github_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/github"
)

// job is a step of a workflow: its environment and its log.
type job struct {
	env map[string]string
	log bytes.Buffer
}

func newJob(t *testing.T) *job {
	t.Helper()
	dir := t.TempDir()
	return &job{env: map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": filepath.Join(dir, "output"),
		"GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary"),
		"GITHUB_REPOSITORY":   "acme/shop", "GITHUB_RUN_ID": "1017", "GITHUB_RUN_ATTEMPT": "2",
	}}
}

func (j *job) actions() *github.Actions {
	return github.NewActions(func(name string) string { return j.env[name] }, &j.log)
}

func (j *job) read(t *testing.T, variable string) string {
	t.Helper()
	b, err := os.ReadFile(j.env[variable])
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSetOutput(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name, value string
		ok          bool
	}{
		"a number":         {"open", "12", true},
		"a fraction":       {"cost", "-0.25", true},
		"a word":           {"conclusion", "passed", true},
		"a truth value":    {"blocked", "true", true},
		"a commit":         {"head", strings.Repeat("a1", 20), true},
		"nothing":          {"new", "", true},
		"a sentence":       {"title", "Fix the thing", false},
		"capitals":         {"conclusion", "PASSED", false},
		"a short commit":   {"head", "a1b2c3d", false},
		"two lines":        {"open", "1\nblocked<<x\nfalse\nx", false},
		"a carriage":       {"open", "1\r", false},
		"a name with =":    {"open=1", "1", false},
		"a name with <<":   {"open<<EOF", "1", false},
		"a library's word": {"open", "_GitHubActionsFileCommandDelimeter_", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t)
			err := j.actions().SetOutput(tt.name, tt.value)
			if (err == nil) != tt.ok {
				t.Errorf("SetOutput(%q, %q): %v, want ok %t", tt.name, tt.value, err, tt.ok)
			}
			want := regexp.MustCompile(`^$`)
			if tt.ok {
				want = regexp.MustCompile(`^` + tt.name + `<<(crev_[A-Z2-7]{26})\n` + regexp.QuoteMeta(tt.value) + `\ncrev_[A-Z2-7]{26}\n$`)
			}
			if got := j.read(t, "GITHUB_OUTPUT"); !want.MatchString(got) {
				t.Errorf("output file %q does not match %s", got, want)
			}
		})
	}
}

func TestSetOutputList(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		name  string
		items []string
		want  string
	}{
		"none":             {"batches", nil, `[]`},
		"ids":              {"batches", []string{"1", "2"}, `["1","2"]`},
		"several in a job": {"batches", []string{"1,257", "2"}, `["1,257","2"]`},
		"two lines":        {"batches", []string{"1", "2\n"}, ""},
		"a quote":          {"batches", []string{`1"`}, ""},
		"an empty one":     {"batches", []string{""}, ""},
		"a name with <<":   {"batches<<x", []string{"1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t)
			err := j.actions().SetOutputList(tt.name, tt.items)
			if (err == nil) != (tt.want != "") {
				t.Errorf("SetOutputList(%q, %q): %v, want it to write %q", tt.name, tt.items, err, tt.want)
			}
			want := regexp.MustCompile(`^$`)
			if tt.want != "" {
				want = regexp.MustCompile(`^` + tt.name + `<<crev_[A-Z2-7]{26}\n` + regexp.QuoteMeta(tt.want) + `\ncrev_[A-Z2-7]{26}\n$`)
			}
			if got := j.read(t, "GITHUB_OUTPUT"); !want.MatchString(got) {
				t.Errorf("output file %q does not match %s", got, want)
			}
		})
	}
}

// parseCommand reads a line of the log the way the runner does.
var command = regexp.MustCompile(`^::([a-z-]+)(?: ([^:]*))?::(.*)$`)

func TestAnnotate(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	a := j.actions()
	evil := "50% of it\n::error::forged\r\n::set-output name=blocked::false\n##[error]x\x1b[2J"
	left := a.Annotate([]github.Annotation{
		{Path: "a,b:c\n.go", StartLine: 3, EndLine: 5, Level: github.LevelError, Title: "x::y\n::stop-commands::z", Message: evil},
		{Path: "app.go", StartLine: 1, EndLine: 1, Level: github.LevelWarning, Message: strings.Repeat("é", 5000)},
		{Message: "hello"},
	})
	if left != 0 {
		t.Errorf("%d left out, want 0", left)
	}
	lines := strings.Split(strings.TrimSuffix(j.log.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines in the log, want 3:\n%s", len(lines), j.log.String())
	}
	want := `::error endLine=5,file=a%2Cb%3Ac .go,line=3,title=x%3A%3Ay %3A%3Astop-commands%3A%3Az::` +
		`50%25 of it%0A::error::forged %0A::set-output name=blocked::false%0A##[error]x [2J`
	if diff := cmp.Diff(want, lines[0]); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	m := command.FindStringSubmatch(lines[1])
	if m == nil || m[1] != "warning" || utf8.RuneCountInString(m[3]) != 4096 || !strings.HasSuffix(m[3], "…") {
		t.Errorf("a long message is not cut to 4096 characters: %.80q", lines[1])
	}
	if lines[2] != "::notice::hello" {
		t.Errorf("notice %q", lines[2])
	}
	for _, line := range lines {
		if strings.ContainsAny(line, "\r\x1b") {
			t.Errorf("control characters in %q", line)
		}
	}
}

// GitHub shows ten errors and ten warnings of a step. The rest is counted, over
// all calls of the step.
func TestAnnotateCaps(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	a := j.actions()
	left := a.Annotate(annotations(6))
	left += a.Annotate(annotations(54))
	if got := strings.Count(j.log.String(), "::error "); got != 10 || left != 50 {
		t.Errorf("%d shown and %d left out, want 10 and 50", got, left)
	}
	if left := a.Annotate([]github.Annotation{{Level: github.LevelWarning, Message: "x"}}); left != 0 {
		t.Error("errors used up the room for warnings")
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	a := j.actions()
	for _, text := range []string{"# One", "Two\n\n"} {
		if err := a.Summary(text); err != nil {
			t.Fatal(err)
		}
	}
	if got := j.read(t, "GITHUB_STEP_SUMMARY"); got != "# One\nTwo\n" {
		t.Errorf("summary %q", got)
	}
	var long strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&long, "- finding %d über\n", i)
	}
	if err := a.Summary(long.String()); !errors.Is(err, github.ErrSummaryFull) {
		t.Errorf("Summary: %v, want ErrSummaryFull", err)
	}
	got := j.read(t, "GITHUB_STEP_SUMMARY")
	if len(got) > 1<<20 || len(got) < 1<<20-200 || !utf8.ValidString(got) {
		t.Errorf("the summary has %d bytes, want a little less than 1 MiB", len(got))
	}
	if !strings.HasSuffix(got, "über\n\n_The summary is cut here: GitHub takes no more._\n") {
		t.Errorf("the summary ends with %q", got[len(got)-100:])
	}
	if err := a.Summary(strings.Repeat("more ", 100)); !errors.Is(err, github.ErrSummaryFull) {
		t.Errorf("Summary of a full file: %v, want ErrSummaryFull", err)
	}
	if after := j.read(t, "GITHUB_STEP_SUMMARY"); len(after) > 1<<20 {
		t.Errorf("the summary has %d bytes", len(after))
	}
}

func TestRuntime(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	j.env["INPUT_API_KEY"] = " sk-1 \n"
	a := j.actions()
	if got := a.Input("api_key"); got != "sk-1" {
		t.Errorf("Input = %q", got)
	}
	want := github.Runtime{
		Owner: "acme", Repo: "shop", RunID: 1017, RunAttempt: 2, APIURL: "https://api.github.com",
		GraphQLURL: "https://api.github.com/graphql", ServerURL: "https://github.com",
	}
	got := a.Runtime()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runtime (-want +got):\n%s", diff)
	}
	a.Mask("one\ntwo\n")
	wantLog := "::add-mask::one\n::add-mask::two\n"
	if diff := cmp.Diff(wantLog, j.log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// On a laptop there is no runner to talk to.
func TestOutsideOfActions(t *testing.T) {
	t.Parallel()
	j := &job{}
	a := j.actions()
	if err := errors.Join(a.SetOutput("open", "1"), a.Summary("x")); err != nil {
		t.Error(err)
	}
	if j.log.Len() != 0 {
		t.Errorf("log %q", j.log.String())
	}
}
