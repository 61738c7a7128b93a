package relocate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
)

const shopGo = `package shop

import "fmt"

// Total adds up the lines of an order.
func Total(lines []Line) int {
	sum := 0
	for _, l := range lines {
		sum += l.Price * l.Count
	}
	return sum
}

// Refund pays an order back.
func Refund(o *Order, store Store) error {
	if o.Paid == 0 {
		return fmt.Errorf("order %d: nothing to refund", o.ID)
	}
	payment, err := store.Payment(o.ID)
	if err != nil {
		return err
	}
	return payment.Reverse(o.Paid)
}

// Ship sends an order.
func Ship(o *Order, carrier Carrier) error {
	label, err := carrier.Label(o.Address)
	if err != nil {
		return err
	}
	o.Label = label
	return carrier.Pickup(label)
}
`

// anchorGo is the line of shopGo that the tests follow.
const anchorGo = "payment, err := store.Payment(o.ID)"

// moreGo is a longer function that keeps its place.
const moreGo = `
// Close settles the books of a day.
func Close(day Day, books []Book) (Report, error) {
	var report Report
	for _, b := range books {
		opened, closed := b.Balance(day.Start), b.Balance(day.End)
		if closed < opened {
			report.Losses = append(report.Losses, Loss{Book: b.Name, Amount: opened - closed})
			continue
		}
		report.Gains += closed - opened
		for _, entry := range b.Entries(day) {
			if entry.Unsigned() {
				return Report{}, fmt.Errorf("book %s: entry %d is not signed", b.Name, entry.Number)
			}
			report.Entries++
		}
	}
	report.Day = day
	return report, nil
}
`

// refundGo is the function around it.
var refundGo = between(shopGo, "// Refund", "// Ship")

func between(text, from, to string) string {
	start := strings.Index(text, from)
	return text[start : start+strings.Index(text[start:], to)]
}

// lineOf is the number of the only line that holds s.
func lineOf(t *testing.T, text, s string) int {
	t.Helper()
	found := 0
	for i, l := range strings.Split(text, "\n") {
		if strings.Contains(l, s) {
			if found > 0 {
				t.Fatalf("%q occurs at lines %d and %d", s, found, i+1)
			}
			found = i + 1
		}
	}
	if found == 0 {
		t.Fatalf("%q does not occur", s)
	}
	return found
}

// where is an answer without what the table does not ask about.
type where struct {
	How       How
	Loss      Loss
	Path      string
	Line      int
	Symbol    string
	Changed   bool
	Ambiguous bool
}

func whereOf(a Answer) where {
	return where{a.How, a.Loss, a.Location.Path, a.Location.Start, a.Location.Symbol, a.Changed, a.Ambiguous}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	edit := func(pairs ...string) string {
		text := shopGo
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("%q is not in the text", pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
	const path = "shop/order.go"
	file := func(text string) File {
		return File{OldPath: path, NewPath: path, Old: Bytes([]byte(shopGo)), New: Bytes([]byte(text))}
	}
	added := func(path, text string) File { return File{NewPath: path, New: Bytes([]byte(text))} }
	edited := strings.Replace(refundGo, "store.Payment(o.ID)", "store.Payment(o.ID, o.Shop)", 1)
	rewritten := edit(
		"if o.Paid == 0", "if order.Paid == 0", "order %d: nothing to refund\", o.ID", "nothing to refund\"",
		anchorGo, "p, err := store.Payment(order.ID)", "err != nil", "nil != err")
	copied := edit("// Refund", strings.ReplaceAll(refundGo, "Refund", "RefundHalf")+"// Refund")

	tests := map[string]struct {
		files []File
		// text is the new version in which mark is looked up; "" for none.
		text, mark string
		want       where
	}{
		"the file is not in the change": {
			files: []File{added("shop/other.go", "package shop\n")},
			text:  shopGo, mark: anchorGo,
			want: where{How: Same, Path: path, Symbol: "Refund"},
		},
		"another function changed": {
			files: []File{file(edit("return sum", "return sum // cents"))},
			text:  shopGo, mark: anchorGo,
			want: where{How: Shifted, Path: path, Symbol: "Refund"},
		},
		"lines were added above": {
			files: []File{file(edit("import \"fmt\"\n", "import (\n\t\"errors\"\n\t\"fmt\"\n)\n"))},
			text:  edit("import \"fmt\"\n", "import (\n\t\"errors\"\n\t\"fmt\"\n)\n"), mark: anchorGo,
			want: where{How: Shifted, Path: path, Symbol: "Refund"},
		},
		"the same function changed elsewhere": {
			files: []File{file(edit("nothing to refund", "not paid"))},
			text:  shopGo, mark: anchorGo,
			want: where{How: Shifted, Path: path, Symbol: "Refund", Changed: true},
		},
		"tabs became blanks": {
			files: []File{file(strings.ReplaceAll(shopGo, "\t", "    "))},
			text:  shopGo, mark: anchorGo,
			want: where{How: Shifted, Path: path, Symbol: "Refund"},
		},
		"line ends became CRLF": {
			files: []File{file(strings.ReplaceAll(shopGo, "\n", "\r\n"))},
			text:  shopGo, mark: anchorGo,
			want: where{How: Shifted, Path: path, Symbol: "Refund"},
		},
		"git reports a rename": {
			files: []File{{OldPath: path, NewPath: "order/order.go", Old: Bytes([]byte(shopGo)), New: Bytes([]byte(shopGo)), Hunks: []diff.Hunk{}}},
			text:  shopGo, mark: anchorGo,
			want: where{How: Shifted, Path: "order/order.go", Symbol: "Refund"},
		},
		"a rename that git did not report": {
			files: []File{
				{OldPath: path, Old: Bytes([]byte(shopGo))},
				added("order/order.go", edit("// Total", "// Sum and total.\n// Total")),
			},
			text: edit("// Total", "// Sum and total.\n// Total"), mark: anchorGo,
			want: where{How: Shifted, Path: "order/order.go", Symbol: "Refund"},
		},
		"the line was edited": {
			files: []File{file(edit("store.Payment(o.ID)", "store.PaymentOf(o.ID, o.Shop)"))},
			text:  edit("store.Payment(o.ID)", "store.PaymentOf(o.ID, o.Shop)"), mark: "PaymentOf",
			want: where{How: Rewritten, Path: path, Symbol: "Refund", Changed: true},
		},
		"the line and its neighbours were edited": {
			files: []File{file(rewritten)},
			text:  rewritten, mark: "p, err :=",
			want: where{How: Rewritten, Path: path, Symbol: "Refund", Changed: true},
		},
		"a statement was spread over lines": {
			files: []File{file(edit(anchorGo, "payment, err := store.Payment(\n\t\to.ID,\n\t)"))},
			text:  edit(anchorGo, "payment, err := store.Payment(\n\t\to.ID,\n\t)"), mark: "store.Payment(",
			want: where{How: Rewritten, Path: path, Symbol: "Refund", Changed: true},
		},
		"the function changed places with the next one": {
			files: []File{file(edit(refundGo, "") + "\n" + refundGo)},
			text:  edit(refundGo, "") + "\n" + refundGo, mark: anchorGo,
			want: where{How: Shifted, Path: path, Symbol: "Refund"},
		},
		"the function was moved to the end of the file": {
			files: []File{{OldPath: path, NewPath: path, Old: Bytes([]byte(shopGo + moreGo)), New: Bytes([]byte(edit(refundGo, "") + moreGo + "\n" + refundGo))}},
			text:  edit(refundGo, "") + moreGo + "\n" + refundGo, mark: anchorGo,
			want: where{How: Moved, Path: path, Symbol: "Refund"},
		},
		"the function was moved to a new file": {
			files: []File{file(edit(refundGo, "")), added("shop/refund.go", "package shop\n\n"+refundGo)},
			text:  "package shop\n\n" + refundGo, mark: anchorGo,
			want: where{How: Moved, Path: "shop/refund.go", Symbol: "Refund"},
		},
		"the function was moved and the line edited": {
			files: []File{file(edit(refundGo, "")), added("shop/refund.go", "package shop\n\n"+edited)},
			text:  "package shop\n\n" + edited, mark: "store.Payment(",
			want: where{How: Moved, Path: "shop/refund.go", Symbol: "Refund", Changed: true},
		},
		"the file was split in two": {
			files: []File{
				{OldPath: path, Old: Bytes([]byte(shopGo))},
				added("shop/total.go", "package shop\n\n"+between(shopGo, "// Total", "// Refund")),
				added("shop/money.go", "package shop\n\nimport \"fmt\"\n\n"+refundGo),
			},
			text: "package shop\n\nimport \"fmt\"\n\n" + refundGo, mark: anchorGo,
			want: where{How: Shifted, Path: "shop/money.go", Symbol: "Refund"},
		},
		"a copy was added above": {
			files: []File{file(copied)},
			text:  copied, mark: "func Refund(",
			want: where{How: Shifted, Path: path, Symbol: "Refund"},
		},
		"the line was deleted": {
			files: []File{file(edit("\t"+anchorGo+"\n", ""))},
			want:  where{How: Gone, Loss: DeletedLine, Changed: true},
		},
		"the line was replaced by something else": {
			files: []File{file(edit("\t"+anchorGo+"\n", "\tif !allowed {\n\t\treturn errDenied\n\t}\n\tlog.Print(\"refund\")\n"))},
			want:  where{How: Gone, Loss: DeletedLine, Changed: true},
		},
		"the function was deleted": {
			files: []File{file(edit(refundGo, ""))},
			want:  where{How: Gone, Loss: DeletedSymbol, Changed: true},
		},
		"the file was deleted": {
			files: []File{{OldPath: path, Old: Bytes([]byte(shopGo))}},
			want:  where{How: Gone, Loss: DeletedFile, Changed: true},
		},
		"the file was emptied": {
			files: []File{file("")},
			want:  where{How: Gone, Loss: DeletedSymbol, Changed: true},
		},
		"a copied file leaves its source where it was": {
			files: []File{FileOf(diff.File{OldPath: path, NewPath: "shop/copy.go", Status: diff.Copied}, Bytes([]byte(shopGo)), Bytes([]byte(shopGo)))},
			text:  shopGo, mark: anchorGo,
			want: where{How: Same, Path: path, Symbol: "Refund"},
		},
		"a file that became binary": {
			files: []File{FileOf(diff.File{OldPath: path, NewPath: path, Kind: diff.Binary}, Bytes([]byte(shopGo)), Bytes([]byte("\x00")))},
			want:  where{How: Gone, Loss: Unknown, Changed: true},
		},
		"hunks of other versions are not believed": {
			files: []File{{
				OldPath: path, NewPath: path, Old: Bytes([]byte(shopGo)), New: Bytes([]byte(edit("import \"fmt\"\n", ""))),
				Hunks: []diff.Hunk{{OldStart: 900, OldLines: 3, NewStart: 2, NewLines: 7}},
			}},
			text: edit("import \"fmt\"\n", ""), mark: anchorGo,
			want: where{How: Shifted, Path: path, Symbol: "Refund"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.want.Line = 0
			if tc.text != "" {
				tc.want.Line = markedLine(t, tc.text, tc.mark)
			}
			loc := finding.Location{Path: path, Start: lineOf(t, shopGo, anchorGo), Symbol: "Refund"}
			a, err := New(Change{Files: tc.files}, Options{}).Locate(loc)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, whereOf(a)); d != "" {
				t.Errorf("Locate (-want +got):\n%s\nreason: %s", d, a.Reason)
			}
		})
	}
}

// markedLine is the line that holds mark; when mark begins a function, the line
// of that function that the tests follow.
func markedLine(t *testing.T, text, mark string) int {
	t.Helper()
	if !strings.HasPrefix(mark, "func ") {
		return lineOf(t, text, mark)
	}
	start := strings.Index(text, mark)
	above := strings.Count(text[:start], "\n")
	return above + 1 + strings.Count(text[start:start+strings.Index(text[start:], anchorGo)], "\n")
}

func TestLocateSpan(t *testing.T) {
	t.Parallel()
	text := strings.Replace(shopGo, "if o.Paid == 0 {", "if o.Paid == 0 || o.Closed {\n\t\tlog.Print(o)", 1)
	m := New(Change{To: "c0ffee", Files: []File{{
		OldPath: "a.go", NewPath: "a.go", Old: Bytes([]byte(shopGo)), New: Bytes([]byte(text)),
	}}}, Options{Redact: func(l string) string { return strings.ReplaceAll(l, "order", "***") }})
	tests := map[string]struct {
		start, end         int
		wantStart, wantEnd int
	}{
		"both ends move":               {16, 18, 16, 19},
		"one line":                     {19, 19, 20, 20},
		"end before start counts once": {19, 3, 20, 20},
		"beyond the file is clamped":   {900, 901, 35, 35},
		"the whole file":               {0, 0, 0, 0},
	}
	for name, tc := range tests {
		a, err := m.Locate(finding.Location{Path: "a.go", Start: tc.start, End: tc.end, Role: "sink"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Location.Start != tc.wantStart || a.Location.End != tc.wantEnd || a.Location.Commit != "c0ffee" || a.Location.Role != "sink" {
			t.Errorf("%s: Locate(%d-%d) = %+v, want lines %d-%d", name, tc.start, tc.end, a.Location, tc.wantStart, tc.wantEnd)
		}
	}
	a, err := m.Locate(finding.Location{Path: "a.go", Start: 19})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"\tif o.Paid == 0 || o.Closed {", "\t\tlog.Print(o)",
		"\t\treturn fmt.Errorf(\"*** %d: nothing to refund\", o.ID)",
	}
	if got := a.Location.Anchor; got == nil || cmp.Diff(want, got.Before[1:]) != "" {
		t.Errorf("anchor = %+v, want %q before it", got, want)
	}
}

// Where no declaration tells which of two equal blocks is the original, the
// answer says so.
func TestLocateTwin(t *testing.T) {
	t.Parallel()
	const block = "receivers:\n  - name: on-call engineers of the billing team\n    address: billing-oncall@example.com\n    severity: critical and above\n"
	old := "version: 2\n" + block + "routes: none\n"
	m := New(Change{Files: []File{{
		OldPath: "a.yaml", NewPath: "a.yaml", Old: Bytes([]byte(old)), New: Bytes([]byte("version: 2\n" + block + "---\n" + block + "routes: none\n")),
	}}}, Options{})
	a, err := m.Locate(finding.Location{Path: "a.yaml", Start: 4})
	if err != nil {
		t.Fatal(err)
	}
	if a.How != Shifted || !a.Ambiguous || !a.Changed || len(a.Candidates) != 1 || a.Candidates[0].Start == a.Location.Start {
		t.Errorf("Locate = %+v, want an ambiguous place and the other one", a)
	}
}

// Code that was extracted into a new function is gone from its own; the new
// place is shown and not claimed.
func TestLocateExtracted(t *testing.T) {
	t.Parallel()
	lines := "\t" + anchorGo + "\n\tif err != nil {\n\t\treturn err\n\t}\n"
	now := strings.Replace(shopGo, lines, "\tx.settle()\n", 1) + "\nfunc settle(o *Order, store Store) error {\n" + lines + "\treturn nil\n}\n"
	m := New(Change{Files: []File{{OldPath: "a.go", NewPath: "a.go", Old: Bytes([]byte(shopGo)), New: Bytes([]byte(now))}}}, Options{})
	a, err := m.Locate(finding.Location{Path: "a.go", Start: lineOf(t, shopGo, anchorGo)})
	if err != nil {
		t.Fatal(err)
	}
	if a.How != Gone || a.Loss != DeletedLine || len(a.Candidates) != 1 || a.Candidates[0].Start != lineOf(t, now, anchorGo) || a.Candidates[0].Symbol != "settle" {
		t.Errorf("Locate = %+v, want gone with the line in settle as a candidate", a)
	}
}

// The diff takes a method of the copied class for the original; the qualified
// name tells them apart.
func TestLocateCopiedClass(t *testing.T) {
	t.Parallel()
	class := func(name, total string) string {
		return "class " + name + ":\n    def send(self, mailer):\n        mailer.deliver(self.customer.email)\n        self.sent_at = now()\n        return " + total + "\n\n\n"
	}
	old := class("Invoice", "self.total")
	now := class("InvoiceCopy", "self.total") + class("Invoice", "self.amount")
	m := New(Change{Files: []File{{OldPath: "a.py", NewPath: "a.py", Old: Bytes([]byte(old)), New: Bytes([]byte(now))}}}, Options{})
	a, err := m.Locate(finding.Location{Path: "a.py", Start: 4})
	if err != nil {
		t.Fatal(err)
	}
	if a.How != Shifted || a.Location.Start != 11 || a.Location.Symbol != "Invoice.send" || !a.Ambiguous {
		t.Errorf("Locate = %+v, want the ambiguous original at line 11", a)
	}
}

func TestLocateLeftSide(t *testing.T) {
	t.Parallel()
	a, err := New(Change{}, Options{}).Locate(finding.Location{Path: "a.go", Start: 3, Side: finding.Left})
	if err != nil || a.How != Gone || a.Loss != Unknown {
		t.Errorf("Locate(left side) = %+v, %v; want gone, unknown", a, err)
	}
}

// Without the old text git's hunks still carry what is outside them, and the
// stored anchor what is inside.
func TestLocateWithoutOldText(t *testing.T) {
	t.Parallel()
	text := strings.Replace(shopGo, "import \"fmt\"\n", "import \"fmt\"\n\nvar x = 1\n", 1)
	line := lineOf(t, shopGo, anchorGo)
	file := File{OldPath: "a.go", NewPath: "a.go", New: Bytes([]byte(text))}
	anchored := finding.Location{Path: "a.go", Start: line, Anchor: finding.NewAnchor([]byte(shopGo), line, nil)}
	hunks := []diff.Hunk{{OldStart: 3, OldLines: 0, NewStart: 4, NewLines: 2}}
	tests := map[string]struct {
		hunks []diff.Hunk
		loc   finding.Location
		how   How
		line  int
	}{
		"outside the hunks":       {hunks, finding.Location{Path: "a.go", Start: line}, Shifted, line + 2},
		"no hunks but the anchor": {nil, anchored, Suspect, line + 2},
		"nothing":                 {nil, finding.Location{Path: "a.go", Start: line}, Gone, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := file
			f.Hunks = tc.hunks
			a, err := New(Change{Files: []File{f}}, Options{}).Locate(tc.loc)
			if err != nil {
				t.Fatal(err)
			}
			if a.How != tc.how || a.Location.Start != tc.line || !a.Changed {
				t.Errorf("Locate = %+v, want %s at line %d, changed", a, tc.how, tc.line)
			}
		})
	}
}

func TestLocateSourceFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such object")
	m := New(Change{Files: []File{{
		OldPath: "a.go", NewPath: "a.go",
		Old: func() ([]byte, error) { return nil, broken }, New: Bytes(nil),
	}}}, Options{})
	_, err := m.Locate(finding.Location{Path: "a.go", Start: 3})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "a.go") {
		t.Errorf("Locate = %v, want the source's error and the file", err)
	}
}

// A hunk of thousands of lines is cut at lines that are unique on both sides.
func TestLocateHugeHunk(t *testing.T) {
	t.Parallel()
	var old, new []string
	for i := range 3000 {
		old = append(old, fmt.Sprintf("old %d %d", i, i*i))
		new = append(new, fmt.Sprintf("new %d %d", i*7, i))
	}
	// Two marks change places, so that no diff can keep both.
	const one, two = "settle the invoice of the customer", "send the parcel to the warehouse"
	before := strings.Join(slices.Concat(old[:900], []string{one}, old[900:2000], []string{two}, old[2000:]), "\n")
	after := strings.Join(slices.Concat(new[:900], []string{two}, new[900:2000], []string{one}, new[2000:]), "\n")
	m := New(Change{Files: []File{{OldPath: "a.txt", NewPath: "a.txt", Old: Bytes([]byte(before)), New: Bytes([]byte(after))}}}, Options{})
	found := 0
	for _, mark := range []string{one, two} {
		a, err := m.Locate(finding.Location{Path: "a.txt", Start: lineOf(t, before, mark)})
		if err != nil {
			t.Fatal(err)
		}
		if a.How == Gone {
			continue
		}
		found++
		if got, want := a.Location.Start, lineOf(t, after, mark); got != want {
			t.Errorf("Locate(%q) = line %d, want %d", mark, got, want)
		}
	}
	if found == 0 {
		t.Error("neither line was found")
	}
}
