package finding

import (
	"strings"
	"testing"
)

const placeFile = `package shop

import "fmt"

// Total adds up an order.
func Total(items []Item) int {
	sum := 0

	for _, it := range items {
		sum += it.Price * it.Count
	}
	return sum
}

// Refund adds up what goes back.
func Refund(items []Item) int {
	sum := 0

	for _, it := range items {
		sum -= it.Price
	}
	return sum
}

func print(order *Order, w io.Writer) error { return fmt.Fprintln(w, order.ID, order.Total) }
`

func TestPlace(t *testing.T) {
	t.Parallel()
	crlf := strings.ReplaceAll(placeFile, "\n", "\r\n")
	tests := map[string]struct {
		text       string
		quote      string
		hint, last int
		start, end int
		how        string
		ok         bool
	}{
		"a whole line": {
			quote: "\t\tsum += it.Price * it.Count", start: 10, end: 10, how: PlacedExact, ok: true},
		"several whole lines with a final newline": {
			quote: "\t\tsum -= it.Price\n\t}\n", start: 20, end: 21, how: PlacedExact, ok: true},
		"blank lines around the quote are not the place": {
			quote: "\n\n\t\tsum -= it.Price\n\n", start: 20, end: 20, how: PlacedExact, ok: true},
		"L09: a CRLF file and an LF quote": {
			text: crlf, quote: "\t\tsum -= it.Price\n\t}", start: 20, end: 21, how: PlacedExact, ok: true},
		"L09: an LF file and a CRLF quote": {
			quote: "\t\tsum -= it.Price\r\n\t}\r\n", start: 20, end: 21, how: PlacedExact, ok: true},
		"a byte order mark before the first line": {
			text: "\ufeffpackage shop\n", quote: "package shop", start: 1, end: 1, how: PlacedExact, ok: true},
		"the indentation of the first line is lost": {
			quote: "sum += it.Price * it.Count\n\t}", start: 10, end: 11, how: PlacedSpacing, ok: true},
		"blanks inside a line differ": {
			quote: "sum+=it.Price  *  it.Count", start: 10, end: 10, how: PlacedSpacing, ok: true},
		"L20c: the quote lost its blank lines": {
			quote: "func Total(items []Item) int {\n\tsum := 0\n\tfor _, it := range items {\n",
			start: 6, end: 9, how: PlacedSpacing, ok: true},
		"a part of a line": {
			quote: "fmt.Fprintln(w, order.ID, order.Total)", start: 25, end: 25, how: PlacedPartial, ok: true},
		"begins and ends inside lines": {
			quote: "range items {\n\t\tsum -= it", start: 19, end: 20, how: PlacedPartial, ok: true},
		"broken and changed: other code": {
			quote: "func print(\n\torder *Order, w io.Writer,\n) error", ok: false},
		"one line broken without more": {
			quote: "func print(order *Order,\n\tw io.Writer) error", start: 25, end: 25, how: PlacedPartial, ok: true},
		"a part that was cut inside a word": {
			quote: "print(order *Order, w io.Writer) error { return fmt.Fprintln(w, order.ID, ord",
			start: 25, end: 25, how: PlacedPartial, ok: true},
		"a short piece of a word is no quote": {
			quote: "Pri", ok: false},
		"a short whole word is": {
			quote: "Order", start: 25, end: 25, how: PlacedPartial, ok: true},
		"two letters are no quote": {
			quote: "it", hint: 9, ok: false},
		"copied with a plus sign": {
			quote: "+\t\tsum += it.Price * it.Count", start: 10, end: 10, how: PlacedStripped, ok: true},
		"copied as diff lines, the old one left out": {
			quote: " \tfor _, it := range items {\n-\t\tsum += it.Price\n+\t\tsum += it.Price * it.Count\n \t}",
			start: 9, end: 11, how: PlacedStripped, ok: true},
		"copied as diff lines, the new one left out": {
			quote: " \tfor _, it := range items {\n-\t\tsum -= it.Price\n+\t\tsum -= it.Price * it.Count\n \t}",
			start: 19, end: 21, how: PlacedStripped, ok: true},
		"copied from the numbered prompt": {
			quote: "@@ -9,3 +9,3 @@ func Total\n   9   \tfor _, it := range items {\n     - \t\tsum += it.Price\n  10 + \t\tsum += it.Price * it.Count",
			start: 9, end: 10, how: PlacedStripped, ok: true},
		"copied with a line that was cut": {
			quote: "  25 + func print(order *Order, w io.Writer) error { return fmt.Fpr … [38 more bytes]",
			start: 25, end: 25, how: PlacedStripped, ok: true},
		"copied with numbers and colons": {
			quote: "20: \t\tsum -= it.Price\n21: \t}", start: 20, end: 21, how: PlacedStripped, ok: true},
		"copied with numbers and bars": {
			quote: "  20 |\t\tsum -= it.Price", start: 20, end: 20, how: PlacedStripped, ok: true},
		"a fence around it": {
			quote: "```go\n\t\tsum -= it.Price\n```", start: 20, end: 20, how: PlacedStripped, ok: true},
		"a copied number chooses when there is no hint": {
			quote: "  17 + \tsum := 0", start: 17, end: 17, how: PlacedStripped, ok: true},
		"twice there and no hint": {
			quote: "\tsum := 0", how: PlaceAmbiguous, ok: false},
		"twice there, the hint is near the first": {
			quote: "\tsum := 0", hint: 9, start: 7, end: 7, how: PlacedExact, ok: true},
		"twice there, the hint is near the second": {
			quote: "\tsum := 0", hint: 14, start: 17, end: 17, how: PlacedExact, ok: true},
		"twice there and as near: the upper": {
			quote: "\tsum := 0", hint: 12, start: 7, end: 7, how: PlacedExact, ok: true},
		"only the last line is a hint": {
			quote: "\tsum := 0", last: 18, start: 17, end: 17, how: PlacedExact, ok: true},
		"L20a: an offset in the patch is no hint": {
			quote: "\tsum := 0", hint: 14342, last: 14342, how: PlaceAmbiguous, ok: false},
		"L20a: an offset in the patch does not move a quote": {
			quote: "\t\tsum -= it.Price", hint: 14342, start: 20, end: 20, how: PlacedExact, ok: true},
		"L20b: the old number of a line does not move a quote": {
			quote: "\t\tsum -= it.Price", hint: 3, start: 20, end: 20, how: PlacedExact, ok: true},
		"L20d: code of another file": {
			quote: "app.get('/session', handler)", hint: 7, ok: false},
		"an empty quote":       {quote: "", hint: 7, ok: false},
		"a quote of blanks":    {quote: " \n\t\n", hint: 7, ok: false},
		"a quote of one brace": {quote: "}", hint: 11, start: 13, end: 13, how: PlacedExact, ok: true},
		"an empty file":        {text: "\n", quote: "x", hint: 1, ok: false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := tt.text
			if text == "" {
				text = placeFile
			}
			start, end, how, ok := Place([]byte(text), tt.quote, tt.hint, tt.last)
			if start != tt.start || end != tt.end || ok != tt.ok || (ok || tt.how != "") && how != tt.how {
				t.Errorf("Place(%q, %d, %d) = %d, %d, %q, %v, want %d, %d, %q, %v",
					tt.quote, tt.hint, tt.last, start, end, how, ok, tt.start, tt.end, tt.how, tt.ok)
			}
		})
	}
}

// A file of equal lines, or one long line, must not cost its square.
func TestPlaceIsBounded(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("x = x\n", 200_000)
	start, end, how, ok := Place([]byte(lines), strings.Repeat("x = x\n", 100_000), 50_001, 0)
	if start != 50_001 || end != 150_000 || how != PlacedExact || !ok {
		t.Errorf("Place in equal lines = %d, %d, %q, %v", start, end, how, ok)
	}
	long := strings.Repeat("abcabc", 200_000)
	if start, _, _, ok := Place([]byte(long), "abc", 1, 1); ok {
		t.Errorf("Place of a piece of a word = %d, want nothing", start)
	}
}

func FuzzPlace(f *testing.F) {
	for _, quote := range []string{
		"\tsum := 0", "  17 + \tsum := 0", "range items {\n\t\tsum -= it", "-\tx\n+\ty", "```\n}\n```", "\xff\xfe", "12: a … [3 more bytes]",
	} {
		f.Add([]byte(placeFile), quote, 9, 12)
	}
	f.Fuzz(func(t *testing.T, text []byte, quote string, hintStart, hintEnd int) {
		start, end, how, ok := Place(text, quote, hintStart, hintEnd)
		if !ok {
			if start != 0 || end != 0 || how != "" && how != PlaceAmbiguous {
				t.Fatalf("Place = %d, %d, %q, false", start, end, how)
			}
			return
		}
		lines := splitLines(text)
		if start < 1 || end < start || end > len(lines) {
			t.Fatalf("Place = %d, %d in %d lines", start, end, len(lines))
		}
		// What was found is itself a quote of that place.
		found := strings.Join(lines[start-1:end], "\n")
		again, last, _, ok := Place(text, found, start, end)
		if !ok || again != start || last != end {
			t.Fatalf("Place of the lines found = %d, %d, %v, want %d, %d", again, last, ok, start, end)
		}
	})
}
