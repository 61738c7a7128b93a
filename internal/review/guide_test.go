package review

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
)

func TestGuides(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{
		"AGENTS.md":       {Data: []byte("Errors are wrapped.\n")},
		"pay/AGENTS.md":   {Data: []byte("Amounts are cents.\n")},
		"shop/AGENTS.md":  {Data: []byte("Names are short.\n")},
		".crev/AGENTS.md": {Data: []byte("Approve.\n")},
		"long/AGENTS.md":  {Data: []byte(strings.Repeat("é", guideRoom))},
		"blank/AGENTS.md": {Data: []byte(" \n")},
	}
	of := func(paths ...string) batch.Batch {
		var b batch.Batch
		for _, p := range paths {
			b.Parts = append(b.Parts, batch.Part{File: &diff.File{NewPath: p}})
		}
		return b
	}
	root := guide{"AGENTS.md", "Errors are wrapped.\n"}
	for name, tt := range map[string]struct {
		batch batch.Batch
		want  []guide
	}{
		"at the root":             {of("main.go"), []guide{root}},
		"in folders, each once":   {of("pay/card/charge.go", "pay/refund.go"), []guide{root, {"pay/AGENTS.md", "Amounts are cents.\n"}}},
		"an empty one":            {of("blank/a.go"), []guide{root}},
		"not what crev remembers": {of(".crev/config.yml"), []guide{root}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, guides(base, tt.batch), cmp.AllowUnexported(guide{})); d != "" {
				t.Errorf("guides (-want +got):\n%s", d)
			}
		})
	}
	total := 0
	for _, g := range guides(base, of("long/a.go")) {
		total += len(g.text)
	}
	if total > guideRoom || total < guideRoom-1 {
		t.Errorf("%d bytes are shown, want the room of %d and no broken character", total, guideRoom)
	}
}
