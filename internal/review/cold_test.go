package review

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

// memoryPackages hold what the team remembers: none of their types is part of
// what a finder's request is made from.
var memoryPackages = []string{"ledger", "rule", "learn", "reconcile", "relocate", "projection", "github", "checker", "expertise"}

// Finders run cold by construction: the function that builds their request takes
// no type of memory, however deep, and the list of what they see has no room for
// it.
func TestFindersHaveNoRoomForMemory(t *testing.T) {
	t.Parallel()
	build := reflect.TypeOf(findRequest)
	seen := map[reflect.Type]bool{}
	for i := range build.NumIn() {
		withoutMemory(t, build.In(i), build.In(i).Name(), seen)
	}
	if len(seen) < 10 {
		t.Errorf("only %d types were looked at", len(seen))
	}
	var fields []string
	for i := range reflect.TypeOf(material{}).NumField() {
		fields = append(fields, reflect.TypeOf(material{}).Field(i).Name)
	}
	want := []string{"title", "description", "guides", "batch", "around", "uses"}
	if d := cmp.Diff(want, fields); d != "" {
		t.Errorf("what finders see has changed (-want +got); add it here only if it is no memory, and to TestFindersSeeNoMemory\n%s", d)
	}
}

func withoutMemory(t *testing.T, typ reflect.Type, path string, seen map[reflect.Type]bool) {
	t.Helper()
	if seen[typ] {
		return
	}
	seen[typ] = true
	for _, p := range memoryPackages {
		if strings.HasSuffix(typ.PkgPath(), "/internal/"+p) {
			t.Errorf("%s is a %s: finders run cold", path, typ)
		}
	}
	switch typ.Kind() {
	case reflect.Struct:
		for i := range typ.NumField() {
			withoutMemory(t, typ.Field(i).Type, path+"."+typ.Field(i).Name, seen)
		}
	case reflect.Map:
		withoutMemory(t, typ.Key(), path+" key", seen)
		withoutMemory(t, typ.Elem(), path+" value", seen)
	case reflect.Slice, reflect.Array, reflect.Pointer:
		withoutMemory(t, typ.Elem(), path+" element", seen)
	case reflect.Interface, reflect.Func, reflect.Chan:
		t.Errorf("%s is a %s, behind which anything can be", path, typ)
	}
}

// canary stands in everything that is memory, and in nothing else. Rules also name
// what the change touches, so that a search for its uses would find them.
const canary = "zugvogel"

// coldRepo is a repository whose memory is full of the canary.
type coldRepo struct {
	t   *testing.T
	dir string
}

func (r coldRepo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and returns the commit that has them.
func (r coldRepo) commit(files map[string]string) string {
	r.t.Helper()
	for name, text := range files {
		full := filepath.Join(r.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
		r.git("add", "--", name)
	}
	r.git("commit", "--quiet", "-m", "change")
	return r.git("rev-parse", "HEAD")
}

func coldRule(kind string) string {
	return fmt.Sprintf("id: %s\nkind: %s\nsays: Total() is about the %s.\nscope: \"**\"\ncategory: naming\nstatus: active\nwhy: The %s said so.\n", kind, kind, canary, canary)
}

// Whatever the ledger and the rules hold, no request to a finder shows it, while
// the checkers and the inspection of known defects do see it.
func TestFindersSeeNoMemory(t *testing.T) {
	t.Parallel()
	r := coldRepo{t, t.TempDir()}
	r.git("init", "--quiet", "--initial-branch=main")
	base := r.commit(map[string]string{
		"shop.go": "package shop\n",
		".crev/config.yml": "reviewers: [code, security, library, claims]\n" +
			"checkers: [recheck, memory_neg, contract, requirements, memory_pos, filter]\n",
		".crev/rules/always.yaml":  coldRule("always"),
		".crev/rules/context.yaml": coldRule("context"),
		".crev/rules/silence.yaml": coldRule("silence"),
	})
	first := r.commit(map[string]string{"shop.go": "package shop\n\nfunc Total() int {\n\treturn 1\n}\n"})
	second := r.commit(map[string]string{"shop.go": "package shop\n\nfunc Total() int {\n\treturn 2\n}\n"})

	m := crevtest.NewModel(t, coldScript())
	for i, head := range []string{first, second} {
		out, err := Run(t.Context(), Request{Run: fmt.Sprintf("%d.1", i+1), Base: base, Head: head, ModelName: "scripted", LedgerMode: LedgerLocal,
			Title: "Add a total", Description: "It adds up what is in the basket."}, coldDeps(t, r.dir, m.URL))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 && out.New == 0 {
			t.Fatalf("nothing was opened: %s %s; %+v; %q", out.Report.Conclusion, out.Report.Reason, out.Report.Hidden, out.Report.Notes)
		}
	}
	finders, others := 0, map[string]bool{}
	for _, req := range m.Requests() {
		said := strings.Contains(strings.ToLower(string(req.Raw)), canary)
		switch {
		case strings.Contains(req.Text, "You review one part of a change"):
			finders++
			if said {
				t.Errorf("a finder was shown memory:\n%s", req.Text)
			}
		case said:
			others[req.Rule] = true
		}
	}
	if finders != 8 {
		t.Errorf("%d requests to finders, want four reviewers on two heads", finders)
	}
	if !others["judge"] || !others["verify"] {
		t.Errorf("the memory was shown to %v, want the judge and the inspection among them: the test looks for nothing", others)
	}
}

// coldScript answers every request; the finding of the first reviewer bears the
// canary, so that the ledger does.
func coldScript() crevtest.Script {
	said := crevtest.Findings(map[string]any{
		"path": "shop.go", "quote": "\treturn 1", "claim": "Total ignores the " + canary + ".",
		"subject": "Total", "predicate": "ignores it", "criteria": []any{"The " + canary + " counts."},
	})
	return crevtest.Script{Rules: []crevtest.Rule{
		{Name: "first", Contains: []string{"Your subject is correctness", "return 1"}, Reply: said},
		{Name: "finder", Contains: []string{"You review one part of a change"}, Reply: crevtest.Findings()},
		{Name: "judge", Contains: []string{"You check findings"}, Reply: map[string]any{"verdicts": []any{}}},
		{Name: "verify", Contains: []string{"You check whether a known defect"}, Reply: map[string]any{"criteria": []any{}}},
		{Name: "memory_neg", Contains: []string{"You compare findings"}, Reply: map[string]any{"hits": []any{}}},
		{Name: "memory_pos", Contains: []string{"You read a change once more"}, Reply: map[string]any{"findings": []any{}}},
		{Name: "requirements", Contains: []string{"You compare a change"}, Reply: map[string]any{"points": []any{}}},
	}}
}

func coldDeps(t *testing.T, dir, url string) Deps {
	t.Helper()
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	})
	return Deps{
		Repo: repo,
		Ledgers: func(context.Context, string) ([]fs.FS, error) {
			store, err := ledger.OpenStore(dir)
			if err != nil {
				return nil, err
			}
			files, err := store.FS()
			return []fs.FS{files}, err
		},
		Connect: func(ModelConfig) (Model, string, error) {
			client, err := openai.New(openai.Config{BaseURL: url, Key: crevtest.ModelKey})
			return client, "", err
		},
		Redactor: finding.NewRedactor(crevtest.ModelKey),
		Rand:     rand.Reader,
		Now:      func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
		Log:      discard,
	}
}
