package finding

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How Place found a quote, from the surest to the least sure, and why it did
// not.
const (
	// PlacedExact: whole lines, equal but for line ends.
	PlacedExact = "exact"
	// PlacedSpacing: whole lines, equal but for blanks and blank lines.
	PlacedSpacing = "spacing"
	// PlacedPartial: the quote begins or ends inside a line, or breaks lines
	// elsewhere.
	PlacedPartial = "partial"
	// PlacedStripped: after taking off the line numbers and diff signs of the
	// prompt that the reviewer copied along.
	PlacedStripped = "stripped"
	// PlaceAmbiguous: the quote stands in several places and no hint chooses.
	PlaceAmbiguous = "ambiguous"
)

const (
	// minQuoteWord is how many letters and digits a part of a line needs to be
	// looked for, minQuoteWords the same for parts of several lines.
	minQuoteWord  = 3
	minQuoteWords = 8
	// anywhereQuote is how many letters and digits let a quote begin or end
	// inside a word, as one does that was cut.
	anywhereQuote = 20
)

// Place finds the lines of text that a reviewer quoted. The quote decides; the
// hint, 1-based and 0 for unknown, only chooses between several places where
// the quote stands, and a hint outside the text is no hint. Blank lines at the
// ends of a quote are not part of the place.
//
// start and end are 1-based and inclusive, how is one of the Placed constants.
// ok is false when the quote is nowhere (how is "") or when it is in several
// places and there is no hint (how is PlaceAmbiguous).
func Place(text []byte, quote string, hintStart, hintEnd int) (start, end int, how string, ok bool) {
	lines := splitLines(text)
	quoted := trimBlankLines(splitLines([]byte(quote)))
	if len(quoted) == 0 || len(lines) == 0 {
		return 0, 0, "", false
	}
	near := usableHint(hintStart, hintEnd, len(lines))
	t := newPlaceText(lines)
	if places, how := t.find(quoted); len(places) > 0 {
		return nearest(places, near, how)
	}
	for _, v := range stripped(quoted) {
		if places, _ := t.find(v.lines); len(places) > 0 {
			if near == (hint{}) {
				near = usableHint(v.number, 0, len(lines))
			}
			return nearest(places, near, PlacedStripped)
		}
	}
	return 0, 0, "", false
}

// hint is the place a reviewer named; 0 where it is unknown or not in the text.
type hint struct{ start, end int }

func usableHint(start, end, lines int) hint {
	inText := func(n int) int {
		if n < 0 || n > lines {
			return 0
		}
		return n
	}
	return hint{inText(start), inText(end)}
}

// distance returns how far a place is from the hint.
func (h hint) distance(p place) int {
	d := p.end - h.end
	if h.start != 0 {
		d = p.start - h.start
	}
	return max(d, -d)
}

// place is where a quote stands, 1-based and inclusive.
type place struct{ start, end int }

// nearest chooses the place that is nearest to the hint, the upper of two that
// are as near.
func nearest(places []place, h hint, how string) (start, end int, _ string, ok bool) {
	if len(places) > 1 && h == (hint{}) {
		return 0, 0, PlaceAmbiguous, false
	}
	best := places[0]
	for _, p := range places[1:] {
		if h.distance(p) < h.distance(best) {
			best = p
		}
	}
	return best.start, best.end, how, true
}

// placeText is a text to find quotes in.
type placeText struct {
	lines []string
	// bare are the lines without blanks, those that are empty then left out;
	// number is where each stands in lines, from 1.
	bare   []string
	number []int
	// stream is bare in one string, begins where each of bare begins in it.
	stream string
	begins []int
	// offsets belong to bare[offsetsLine]; see offsetsOf.
	offsets     []int
	offsetsLine int
}

func newPlaceText(lines []string) *placeText {
	t := &placeText{lines: lines}
	size := 0
	for i, l := range lines {
		if b := withoutBlanks(l); b != "" {
			t.bare = append(t.bare, b)
			t.number = append(t.number, i+1)
			t.begins = append(t.begins, size)
			size += len(b)
		}
	}
	t.stream = strings.Join(t.bare, "")
	return t
}

// find returns all places of a quote of the surest kind that has any.
func (t *placeText) find(quoted []string) ([]place, string) {
	var places []place
	for _, i := range runsOf(t.lines, quoted) {
		places = append(places, place{i + 1, i + len(quoted)})
	}
	if len(places) > 0 {
		return places, PlacedExact
	}
	var bare []string
	for _, l := range quoted {
		if b := withoutBlanks(l); b != "" {
			bare = append(bare, b)
		}
	}
	if len(bare) == 0 {
		return nil, ""
	}
	for _, i := range runsOf(t.bare, bare) {
		places = append(places, place{t.number[i], t.number[i+len(bare)-1]})
	}
	if len(places) > 0 {
		return places, PlacedSpacing
	}
	return t.findPart(bare), PlacedPartial
}

// findPart finds a quote that need not begin or end with a line.
func (t *placeText) findPart(bare []string) []place {
	part := strings.Join(bare, "")
	size := lettersAndDigits(part)
	if size < minQuoteWord || len(bare) > 1 && size < minQuoteWords {
		return nil
	}
	var places []place
	for from := 0; ; {
		i := strings.Index(t.stream[from:], part)
		if i < 0 {
			return places
		}
		at := from + i
		from = at + 1
		first, last := t.lineOf(at), t.lineOf(at+len(part)-1)
		if size < anywhereQuote && !(t.betweenWords(at) && t.betweenWords(at+len(part))) {
			continue
		}
		p := place{t.number[first], t.number[last]}
		if n := len(places); n == 0 || places[n-1] != p {
			places = append(places, p)
		}
	}
}

// lineOf returns the index in bare of the line that holds an offset of stream.
func (t *placeText) lineOf(offset int) int {
	return sort.SearchInts(t.begins, offset+1) - 1
}

// betweenWords reports whether an offset of stream is not inside a word. Blanks
// are gone from stream, so the line itself decides.
func (t *placeText) betweenWords(offset int) bool {
	if offset == len(t.stream) {
		return true
	}
	i := t.lineOf(offset)
	if offset == t.begins[i] {
		return true
	}
	line := t.lines[t.number[i]-1]
	at := t.offsetsOf(i)[offset-t.begins[i]]
	before, _ := utf8.DecodeLastRuneInString(line[:at])
	after, _ := utf8.DecodeRuneInString(line[at:])
	return !isWord(before) || !isWord(after)
}

// offsetsOf returns where each byte of bare[i] stands in its line. The last
// answer is kept: a minified line is asked for again and again.
func (t *placeText) offsetsOf(i int) []int {
	if t.offsets == nil || t.offsetsLine != i {
		t.offsets, t.offsetsLine = t.offsets[:0], i
		line := t.lines[t.number[i]-1]
		for at := range len(line) {
			if !isBlank(line[at]) {
				t.offsets = append(t.offsets, at)
			}
		}
	}
	return t.offsets
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func lettersAndDigits(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// runsOf returns where want stands in lines as consecutive elements. It is the
// algorithm of Knuth, Morris and Pratt, so that a file of a million equal lines
// costs no more than another.
func runsOf(lines, want []string) []int {
	if len(want) == 0 || len(want) > len(lines) {
		return nil
	}
	border := make([]int, len(want))
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = border[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		border[i] = k
	}
	var at []int
	for i, k := 0, 0; i < len(lines); i++ {
		for k > 0 && lines[i] != want[k] {
			k = border[k-1]
		}
		if lines[i] == want[k] {
			k++
		}
		if k == len(want) {
			at = append(at, i-k+1)
			k = border[k-1]
		}
	}
	return at
}

func trimBlankLines(lines []string) []string {
	for len(lines) > 0 && withoutBlanks(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && withoutBlanks(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
