package relocate

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
)

const (
	unguarded = "package pay\n\nfunc Refund(o *Order) error {\n\tcents := o.Total()\n\treturn send(o.Card, cents)\n}\n"
	more      = "\nfunc Void(o *Order) error {\n\treturn undo(o.Card)\n}\n"
	guard     = "\tif o.Paid == nil {\n\t\treturn errNotPaid\n\t}\n"
)

func TestUndoes(t *testing.T) {
	t.Parallel()
	guarded := strings.Replace(unguarded, "\tcents", guard+"\tcents", 1)
	change := func(old, new string) Change {
		return Change{Files: []File{{OldPath: "pay.go", NewPath: "pay.go", Old: Bytes([]byte(old)), New: Bytes([]byte(new))}}}
	}
	at := finding.Location{Path: "pay.go", Start: 4, End: 4}
	cited := []finding.Location{{Path: "pay.go", Start: 4, End: 5}}
	for name, tc := range map[string]struct {
		fix, then Change
		cited     []finding.Location
		fixed     bool
		undone    bool
	}{
		"the guard is taken out":         {change(unguarded, guarded), change(guarded, unguarded), cited, true, true},
		"nobody cited it":                {change(unguarded, guarded), change(guarded, unguarded), nil, true, true},
		"taken out below new lines":      {change(unguarded, guarded), change(guarded, strings.Replace(unguarded, "func", "const tries = 2\n\nfunc", 1)), cited, true, true},
		"the guard stays":                {change(unguarded, guarded), change(guarded, guarded+"\nconst tries = 2\n"), cited, true, false},
		"half of it stays":               {change(unguarded, guarded), change(guarded, strings.Replace(guarded, "\t\treturn errNotPaid\n", "", 1)), cited, true, false},
		"another guard takes its place":  {change(unguarded, guarded), change(guarded, strings.Replace(guarded, guard, "\tif !o.settled() {\n\t\treturn errOpen\n\t}\n", 1)), cited, true, false},
		"the guard is moved":             {change(unguarded, guarded), change(guarded, unguarded+"\nfunc check(o *Order) error {\n"+guard+"\treturn nil\n}\n"), cited, true, false},
		"the old text takes its place":   {change(unguarded, strings.Replace(unguarded, "\tcents := o.Total()\n", guard, 1)), change(strings.Replace(unguarded, "\tcents := o.Total()\n", guard, 1), unguarded), cited, true, true},
		"the fix only took lines out":    {change(guarded, unguarded), change(unguarded, guarded), nil, false, false},
		"what was added is far away":     {change(unguarded+more, unguarded+more+"\nconst tries = 2\n"), change(unguarded, guarded), nil, false, false},
		"another file is cited and near": {change(unguarded, guarded), change(guarded, unguarded), []finding.Location{{Path: "card.go", Start: 4, End: 4}}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fix, ok, err := New(tc.fix, Options{}).Fix(at, tc.cited)
			if err != nil || ok != tc.fixed {
				t.Fatalf("Fix = %v, %v, want %v", ok, err, tc.fixed)
			}
			undone, err := New(tc.then, Options{}).Undoes(fix)
			if err != nil || undone != tc.undone {
				t.Errorf("Undoes = %v, %v, want %v", undone, err, tc.undone)
			}
		})
	}
}
