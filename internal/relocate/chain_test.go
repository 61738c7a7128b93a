package relocate

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestThrough(t *testing.T) {
	t.Parallel()
	step := func(from, to string) *Mapper {
		return New(Change{Files: []File{{OldPath: "a.go", NewPath: "a.go", Old: Bytes([]byte(from)), New: Bytes([]byte(to))}}}, Options{})
	}
	above := "// first\n" + shopGo
	edited := strings.Replace(above, "store.Payment(o.ID)", "store.Payment(o.ID, o.Shop)", 1)
	below := edited + "\n// last\n"
	without := strings.Replace(above, refundGo, "", 1)
	line := lineOf(t, shopGo, anchorGo)
	tests := map[string]struct {
		steps []*Mapper
		how   How
		line  int
	}{
		"no step":                          {nil, Same, line},
		"one step":                         {[]*Mapper{step(shopGo, above)}, Shifted, line + 1},
		"the least sure step counts":       {[]*Mapper{step(shopGo, above), step(above, edited), step(edited, below)}, Rewritten, line + 1},
		"gone ends it":                     {[]*Mapper{step(shopGo, above), step(above, without), step(without, above)}, Gone, 0},
		"a file untouched by a later step": {[]*Mapper{step(shopGo, above), New(Change{}, Options{})}, Shifted, line + 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := Through(finding.Location{Path: "a.go", Start: line}, tc.steps)
			if err != nil {
				t.Fatal(err)
			}
			if a.How != tc.how || a.Location.Start != tc.line {
				t.Errorf("Through = %s at line %d, want %s at line %d", a.How, a.Location.Start, tc.how, tc.line)
			}
		})
	}
}
