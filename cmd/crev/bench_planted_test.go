package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/git"
)

// plantingGround builds a repository with a rename and a growing file of
// functions in Python, and returns where it is.
func plantingGround(t *testing.T) string {
	t.Helper()
	repo := git.Scratch{Dir: t.TempDir(), Name: "Planter"}
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	run := func(args ...string) {
		t.Helper()
		at = at.Add(time.Hour)
		if _, err := repo.Run(t.Context(), at, args...); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "--quiet", "--initial-branch=main")
	name := "shelf.py"
	for n := range 12 {
		if n == 6 {
			name = "shelves.py"
			run("mv", "shelf.py", name)
		}
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "LIMIT_%d = %d\n", i, i)
		}
		for i := range 5 {
			fmt.Fprintf(&b, `

def entry_%[1]d(shelf, limit):
    names_%[1]d = shelf.names(limit, %[1]d)
    if names_%[1]d is None:
        raise LookupError(limit)
    total_%[1]d = len(names_%[1]d)
    if total_%[1]d < limit and shelf.ready_%[1]d:
        return names_%[1]d[0]
    return shelf.check(total_%[1]d, limit)
`, i)
		}
		if err := os.WriteFile(filepath.Join(repo.Dir, name), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		run("add", "--all")
		run("commit", "--quiet", "--message=The shelf grows")
	}
	return repo.Dir
}

func TestBenchPlanted(t *testing.T) {
	t.Parallel()
	dir := plantingGround(t)
	play := func(args ...string) (string, string, int) {
		var out, stderr bytes.Buffer
		w := world{out: &out, err: &stderr, dir: filepath.Dir(dir), env: func(string) string { return "" }}
		status := run(t.Context(), w, append([]string{"bench", "planted", "-repo", filepath.Base(dir)}, args...))
		return out.String(), stderr.String(), status
	}

	first, stderr, status := play("-plants", "5", "-json")
	if status != exitClean {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var r bench.PlantedResult
	if err := json.Unmarshal([]byte(first), &r); err != nil {
		t.Fatal(err)
	}
	if r.Cases != 5 || len(r.Places) < 2 || r.Places[0].Coverage < 0.8 || r.Places[0].ErrorRate > 0.1 {
		t.Errorf("5 cases give %+v", r)
	}
	again, _, _ := play("-plants", "5", "-json", "-to", "main")
	if d := cmp.Diff(first, again); d != "" {
		t.Errorf("the same history and seed differ (-first +again):\n%s", d)
	}
	short, stderr, status := play("-plants", "2", "-from", "main~6", "-to", "main~1")
	if status != exitClean || !strings.Contains(short, "close on touch") {
		t.Errorf("status %d, %s%s", status, short, stderr)
	}

	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown revision":   {[]string{"-to", "nowhere"}, "unknown revision"},
		"the wrong way round":   {[]string{"-from", "main", "-to", "main~3"}, "first parent"},
		"no plants":             {[]string{"-plants", "0"}, "give a number"},
		"a recall over one":     {[]string{"-recall", "2"}, "share between 0 and 1"},
		"an argument":           {[]string{"shelf.py"}, "takes no arguments"},
		"one commit is nothing": {[]string{"-from", "main~11", "-to", "main~11"}, "no defect could be planted"},
	} {
		_, stderr, status := play(tc.args...)
		if status != exitUsage || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: status %d, %q, want %q", name, status, stderr, tc.want)
		}
	}
}
