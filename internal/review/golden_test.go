package review

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A change of a reviewer's prompt is a diff that somebody reads: every request
// as it is sent is kept in testdata.
func TestFinderPrompts(t *testing.T) {
	t.Parallel()
	rs, err := reviewersOf(reviewerNames(), fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	m := material{
		title: "Add a total", description: "Closes #3.",
		batch: batch.Batch{ID: "1", Parts: []batch.Part{{
			File: &diff.File{OldPath: "shop.go", NewPath: "shop.go", Status: diff.Modified},
			Hunks: []diff.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2, Lines: []diff.Line{
				{Op: diff.Context, Text: "package shop", Old: 1, New: 1}, {Op: diff.Add, Text: "var total int", New: 2}}}},
		}}},
		around: map[string]string{"shop.go": "    1  package shop\n    2  var total int\n"},
		uses:   "main.go\n    7  fmt.Println(shop.Total)\n",
	}
	for _, r := range rs {
		req := findRequest(r, "m", "fence", m)
		got := fmt.Sprintf("purpose: %s\n\n=== system\n%s\n=== user\n%s\n=== schema %s\n%s\n", req.Purpose, req.System, req.Messages[0].Content, req.Schema.Name, req.Schema.JSON)
		for _, tool := range req.Tools {
			got += fmt.Sprintf("\n=== tool %s\n%s\n%s\n", tool.Name, tool.Description, tool.Parameters)
		}
		file := filepath.Join("testdata", "reviewer_"+r.name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v; go test -update writes it", err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: if the change is meant, run go test -update and read the diff (-want +got)\n%s", file, d)
		}
	}
}
