package relocate

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestFromAnchor(t *testing.T) {
	t.Parallel()
	line := lineOf(t, shopGo, anchorGo)
	loc := finding.Location{Path: "a.go", Start: line, End: line, Symbol: "Refund", Anchor: finding.NewAnchor([]byte(shopGo), line, nil)}
	copied := strings.Replace(shopGo, "// Refund", strings.ReplaceAll(refundGo, "Refund", "RefundHalf")+"// Refund", 1)
	tests := map[string]struct {
		loc       finding.Location
		text      string
		how       How
		line      int
		ambiguous bool
	}{
		"the same text":            {loc, shopGo, Suspect, line, false},
		"shifted":                  {loc, "\n\n" + shopGo, Suspect, line + 2, false},
		"edited":                   {loc, strings.Replace(shopGo, "store.Payment(o.ID)", "store.Payment(o.ID, o.Shop)", 1), Suspect, line, false},
		"a copy above":             {loc, copied, Suspect, line + strings.Count(refundGo, "\n"), false},
		"not there":                {loc, strings.Replace(shopGo, refundGo, "", 1), Gone, 0, false},
		"an empty file":            {loc, "", Gone, 0, false},
		"no anchor":                {finding.Location{Path: "a.go", Start: line}, shopGo, Gone, 0, false},
		"twice and nothing to say": {finding.Location{Path: "a.txt", Anchor: &finding.Anchor{Line: "pay(order)", Before: []string{"open()"}}}, "open()\npay(order)\nopen()\npay(order)\n", Suspect, 2, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := FromAnchor(tc.loc, []byte(tc.text), Options{})
			if a.How != tc.how || a.Location.Start != tc.line || a.Ambiguous != tc.ambiguous || !a.Changed {
				t.Errorf("FromAnchor = %+v, want %s at line %d, ambiguous %v, changed", a, tc.how, tc.line, tc.ambiguous)
			}
			if a.How.Carries() {
				t.Errorf("an answer from the anchor alone must not be carried: %+v", a)
			}
		})
	}
}

func TestFromAnchorRedacted(t *testing.T) {
	t.Parallel()
	hide := func(l string) string { return strings.ReplaceAll(l, "s3cret", "***") }
	text := []byte("open()\nlogin(\"admin\", \"s3cret\")\nclose()\n")
	loc := finding.Location{Path: "a.txt", Start: 2, Anchor: finding.NewAnchor(text, 2, hide)}
	a := FromAnchor(loc, append([]byte("first\n"), text...), Options{Redact: hide})
	if a.How != Suspect || a.Location.Start != 3 || strings.Contains(a.Location.Anchor.Line, "s3cret") {
		t.Errorf("FromAnchor = %+v with %+v, want line 3 and no secret", a, a.Location.Anchor)
	}
}

func TestReopens(t *testing.T) {
	t.Parallel()
	line := lineOf(t, shopGo, anchorGo)
	fixed := strings.Replace(shopGo, anchorGo, "payment, err := store.PaymentOf(o.ID, o.Shop)", 1)
	loc := finding.Location{Path: "a.go", Start: line, Anchor: finding.NewAnchor([]byte(shopGo), line, nil)}
	reopen := func(old, new string) Change {
		return Change{Files: []File{{OldPath: "a.go", NewPath: "a.go", Old: Bytes([]byte(old)), New: Bytes([]byte(new))}}}
	}
	twice := strings.Replace(fixed, "// Ship", refundGo+"\n// Ship", 1)
	twice = strings.Replace(twice, "payment, err := store.PaymentOf(o.ID, o.Shop)", anchorGo, 1)
	tests := map[string]struct {
		change Change
		loc    finding.Location
		back   bool
		line   int
	}{
		"the fix is undone":                   {reopen(fixed, shopGo), loc, true, line},
		"undone with lines above":             {reopen(fixed, "// more\n\n"+shopGo), loc, true, line + 2},
		"undone with one neighbour changed":   {reopen(fixed, strings.Replace(shopGo, "return err\n", "return nil\n", 1)), loc, true, line},
		"undone and indented differently":     {reopen(fixed, strings.ReplaceAll(shopGo, "\t", "  ")), loc, true, line},
		"a file added with it":                {Change{Files: []File{{NewPath: "a.go", New: Bytes([]byte(shopGo))}}}, loc, true, line},
		"the fix itself":                      {reopen(shopGo, fixed), loc, false, 0},
		"the line was there all along":        {reopen(shopGo, shopGo+"\n// end\n"), loc, false, 0},
		"the line came back at another place": {reopen(fixed, fixed+"\nfunc other() {\n\tx := 1\n\t"+anchorGo+"\n\tuse(x)\n}\n"), loc, false, 0},
		"it came back twice":                  {reopen(fixed, twice), loc, false, 0},
		"no anchor":                           {reopen(fixed, shopGo), finding.Location{Path: "a.go"}, false, 0},
		"another file":                        {reopen(fixed, shopGo), finding.Location{Path: "b.go", Anchor: loc.Anchor}, false, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, back, err := New(tc.change, Options{}).Reopens(tc.loc)
			if err != nil {
				t.Fatal(err)
			}
			if back != tc.back || back && a.Location.Start != tc.line {
				t.Errorf("Reopens = %v at line %d (%s), want %v at line %d", back, a.Location.Start, a.Reason, tc.back, tc.line)
			}
		})
	}
}
