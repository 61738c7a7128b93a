package review

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
)

func TestUses(t *testing.T) {
	t.Parallel()
	tree := map[string]string{
		"pay/charge.go":  "package pay\n\nfunc Charge(cents int) error {\n\treturn nil\n}\n\nfunc Refund() {}\n",
		"pay/retry.go":   "package pay\n\nfunc again() {\n\t_ = Charge(3)\n}\n",
		"shop/cart.go":   "package shop\n\nfunc pay() { _ = Charge(1); _ = Charge(2) }\n\nfunc recharge() {}\n",
		"shop/notes.txt": "Charge\n",
		".crev/x.go":     "package x // Charge\n",
	}
	text := func(p string) []byte { return []byte(tree[p]) }
	tracked := []string{".crev/x.go", "pay/charge.go", "pay/retry.go", "shop/cart.go", "shop/notes.txt"}
	f := &diff.File{OldPath: "pay/charge.go", NewPath: "pay/charge.go", Status: diff.Modified, Hunks: []diff.Hunk{{
		OldStart: 4, OldLines: 1, NewStart: 4, NewLines: 1,
		Lines: []diff.Line{{Op: diff.Remove, Text: "\treturn err", Old: 4}, {Op: diff.Add, Text: "\treturn nil", New: 4}},
	}}}

	u := findUses([]*diff.File{f}, tracked, text)
	want := map[string][]use{"Charge": {{"pay/retry.go", 4}, {"shop/cart.go", 3}}}
	if d := cmp.Diff(want, u.found, cmp.AllowUnexported(use{})); d != "" {
		t.Errorf("found (-want +got):\n%s", d)
	}
	shown := u.of(batch.Batch{Parts: []batch.Part{{File: f, Hunks: f.Hunks}}})
	for _, part := range []string{"pay/retry.go uses Charge:\n", "    4  \t_ = Charge(3)\n", "shop/cart.go uses Charge:\n"} {
		if !strings.Contains(shown, part) {
			t.Errorf("of() = %q, want %q in it", shown, part)
		}
	}
	if strings.Contains(shown, "Refund") {
		t.Errorf("of() = %q shows uses of what was not touched", shown)
	}
}

// The room for uses does not grow with the number of callers.
func TestUsesRoom(t *testing.T) {
	t.Parallel()
	f := &diff.File{OldPath: "a.go", NewPath: "a.go"}
	u := &uses{touched: map[string][]string{}, found: map[string][]use{}, text: func(string) []byte {
		return []byte(strings.Repeat("x", 300) + "\n")
	}}
	for i := range 500 {
		name := strings.Repeat("n", i+minName)
		u.touched["a.go"] = append(u.touched["a.go"], name)
		u.add(name, use{name + ".go", 1})
	}
	if got := len(u.of(batch.Batch{Parts: []batch.Part{{File: f}}})); got > usesRoom || got < usesRoom/2 {
		t.Errorf("of() is %d bytes long, want the room of %d used and kept", got, usesRoom)
	}
}
