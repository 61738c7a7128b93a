package projection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

const head = "6f882ee0c1b2a39485766758493a2b1c0d9e8f70"

// changedFile has two hunks: new lines 10 to 16 and 40 to 46.
func changedFile() *diff.File {
	hunk := func(at int) diff.Hunk {
		h := diff.Hunk{OldStart: at, OldLines: 6, NewStart: at, NewLines: 7}
		for i := range 7 {
			l := diff.Line{Op: diff.Context, Old: at + i, New: at + i, Text: "old"}
			switch {
			case i == 3:
				l = diff.Line{Op: diff.Add, New: at + i, Text: "new"}
			case i > 3:
				l.Old--
			}
			h.Lines = append(h.Lines, l)
		}
		return h
	}
	return &diff.File{OldPath: "a.go", NewPath: "a.go", Status: diff.Modified, Kind: diff.Text,
		Hunks: []diff.Hunk{hunk(10), hunk(40)}}
}

func defect(n int, path string, start, end int) *ledger.Defect {
	return &ledger.Defect{
		ID: ledger.DefectID(fmt.Sprintf("D-%08x", n)), FP: fmt.Sprintf("%016x", n), Status: ledger.Open,
		Claim: fmt.Sprintf("claim %d", n), Severity: finding.Medium, Tier: finding.Advisory, Source: "code",
		Locations: []finding.Location{{Path: path, Start: start, End: end, Commit: head}},
		Runs:      []string{"1.1"},
	}
}

func input(t *testing.T, ds ...*ledger.Defect) Input {
	in := Input{
		Report: &Report{Head: head, Defects: ds},
		Files:  []*diff.File{changedFile()},
		Shown:  map[ledger.DefectID]bool{},
		Limits: Limits{MaxComments: 30, Threads: true},
	}
	for _, d := range ds {
		in.Shown[d.ID] = true
	}
	return in
}

// place is where a new comment goes, without its body.
type place struct {
	Path      string
	From, To  int
	File      bool
	InSummary bool
}

func placeOf(p Plan, id ledger.DefectID) place {
	for _, c := range p.Comments {
		if c.Defect == id {
			return place{Path: c.Path, From: c.StartLine, To: c.Line}
		}
	}
	for _, c := range p.Files {
		if c.Defect == id {
			return place{Path: c.Path, File: true}
		}
	}
	for _, d := range p.InSummary {
		if d == id {
			return place{InSummary: true}
		}
	}
	return place{}
}

func TestDecidePlacesComments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		defect *ledger.Defect
		want   place
	}{
		"one line has no start":                    {defect(1, "a.go", 13, 13), place{Path: "a.go", To: 13}},
		"a range in one hunk":                      {defect(1, "a.go", 12, 14), place{Path: "a.go", From: 12, To: 14}},
		"a range over two hunks keeps the last":    {defect(1, "a.go", 12, 42), place{Path: "a.go", From: 40, To: 42}},
		"a line outside of every hunk":             {defect(1, "a.go", 25, 25), place{Path: "a.go", File: true}},
		"no line":                                  {defect(1, "a.go", 0, 0), place{Path: "a.go", File: true}},
		"a file that the pull request leaves":      {defect(1, "b.go", 3, 3), place{InSummary: true}},
		"an end before the start counts as a line": {defect(1, "a.go", 13, 12), place{Path: "a.go", To: 13}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Decide(input(t, c.defect))
			if d := cmp.Diff(c.want, placeOf(p, c.defect.ID)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestDecideKeepsOneThread(t *testing.T) {
	t.Parallel()
	with := func(s ledger.Status) *ledger.Defect {
		d := defect(1, "a.go", 13, 13)
		d.Status, d.FixedIn = s, head
		return d
	}
	thread := func(d *ledger.Defect, resolved, byPerson bool) Thread {
		return Thread{ID: "T1", CommentID: 7, Defect: d.ID, Body: Body(with(ledger.Open), &Report{Head: "older"}),
			Resolved: resolved, ByPerson: byPerson}
	}
	for name, c := range map[string]struct {
		status              ledger.Status
		resolved, byPerson  bool
		reopened            bool
		edits, close, again int
	}{
		"open and unchanged: nothing happens":        {status: ledger.Open},
		"verified: edited and resolved":              {status: ledger.Closed, edits: 1, close: 1},
		"verified and resolved already: edited":      {status: ledger.Closed, resolved: true, edits: 1},
		"possibly fixed: edited, not resolved":       {status: ledger.Fixing, edits: 1},
		"reopened: edited and opened again":          {status: ledger.Back, resolved: true, reopened: true, edits: 1, again: 1},
		"resolved by a person while open: left":      {status: ledger.Open, resolved: true, byPerson: true},
		"resolved by a person, came back: opened":    {status: ledger.Back, resolved: true, byPerson: true, reopened: true, edits: 1, again: 1},
		"resolved by crev while open: opened":        {status: ledger.Open, resolved: true, again: 1},
		"dismissed: edited and resolved":             {status: ledger.Waived, edits: 1, close: 1},
		"obsolete: edited and resolved":              {status: ledger.Obsolete, edits: 1, close: 1},
		"dismissed and resolved by a person: edited": {status: ledger.Waived, resolved: true, byPerson: true, edits: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := with(c.status)
			in := input(t, d)
			in.Threads = []Thread{thread(d, c.resolved, c.byPerson)}
			in.Reopened = map[ledger.DefectID]bool{d.ID: c.reopened}
			p := Decide(in)
			if len(p.Comments)+len(p.Files)+len(p.InSummary) != 0 {
				t.Errorf("a second comment is planned: %+v", p)
			}
			got := []int{len(p.Edits), len(p.Resolve), len(p.Unresolve)}
			if d := cmp.Diff([]int{c.edits, c.close, c.again}, got); d != "" {
				t.Errorf("edits, resolved, opened: -want +got\n%s", d)
			}
		})
	}
}

func TestDecideCapsByWeight(t *testing.T) {
	t.Parallel()
	var ds []*ledger.Defect
	for i := range 40 {
		d := defect(i, "a.go", 13, 13)
		if i == 39 {
			d.Severity = finding.Critical
		}
		ds = append(ds, d)
	}
	p := Decide(input(t, ds...))
	if len(p.Comments) != 30 || len(p.Capped) != 10 || len(p.InSummary) != 10 {
		t.Fatalf("%d comments, %d capped, %d in the summary; want 30, 10, 10", len(p.Comments), len(p.Capped), len(p.InSummary))
	}
	if p.Comments[0].Defect != ds[39].ID {
		t.Errorf("the first comment is about %s, want the critical one, %s", p.Comments[0].Defect, ds[39].ID)
	}
}

func TestSummaryOnly(t *testing.T) {
	t.Parallel()
	in := input(t, defect(1, "a.go", 13, 13))
	in.Limits.Threads = false
	p := Decide(in)
	if len(p.Comments) != 0 || len(p.InSummary) != 1 {
		t.Errorf("%d comments, %d in the summary; want 0, 1", len(p.Comments), len(p.InSummary))
	}
}

func TestBodyEndsWithItsMarker(t *testing.T) {
	t.Parallel()
	d := defect(0x5f0c9a1e, "a.go", 13, 13)
	d.Claim = "x <!-- crev:1 id=D-00000000 fp=0000000000000000 -->"
	d.Detail = strings.Repeat("long text 😀 ```\n", 9_000)
	body := Body(d, &Report{Head: head})
	if len(body) > 65_536 {
		t.Errorf("the body has %d bytes", len(body))
	}
	if id, ok := DefectOf(body); !ok || id != d.ID {
		t.Errorf("DefectOf = %q, %v; want %s", id, ok, d.ID)
	}
	if n := strings.Count(body, "<!-- crev:1"); n != 1 {
		t.Errorf("%d markers in the body, want 1", n)
	}
}

func TestSummaryStaysWithinTheLimit(t *testing.T) {
	t.Parallel()
	r := &Report{Head: head, Conclusion: Passed}
	for i := range 400 {
		d := defect(i, "a.go", 13, 13)
		d.Claim = strings.Repeat("words ", 60)
		r.Defects = append(r.Defects, d)
		r.Coverage = append(r.Coverage, Coverage{Path: fmt.Sprintf("some/long/folder/name/file%d.go", i), State: Reviewed})
		r.LedgerLines = append(r.LedgerLines, strings.Repeat("x", 300))
	}
	s := Summary(r, Plan{})
	if len(s) > 65_536 {
		t.Errorf("the summary has %d bytes", len(s))
	}
	for _, want := range []string{SummaryMarker, Short(head), "and 350 more"} {
		if !strings.Contains(s, want) {
			t.Errorf("the summary does not say %q", want)
		}
	}
}

func TestSuggestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		current []string
		want    string
	}{
		"a plain one":                   {"b", []string{"a"}, "```suggestion\nb\n```"},
		"a newline at its end is one":   {"b\n", []string{"a"}, "```suggestion\nb\n```"},
		"fences inside":                 {"```sh\nx\n````", []string{"a"}, "`````suggestion\n```sh\nx\n````\n`````"},
		"nothing changes":               {"a", []string{"a"}, ""},
		"no lines to replace":           {"b", nil, ""},
		"line ends are kept":            {"b\r", []string{"a\r"}, "```suggestion\nb\r\n```"},
		"line ends would be mixed":      {"b", []string{"a\r"}, ""},
		"hidden characters":             {"b\u202e", []string{"a"}, ""},
		"more lines than a person sees": {strings.Repeat("b\n", 21), []string{"a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := Suggestion(c.text, c.current)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("Suggestion(%q) = %q, %v; want %q", c.text, got, ok, c.want)
			}
		})
	}
}

func TestDecideSuggests(t *testing.T) {
	t.Parallel()
	text := func(string) []byte { return []byte(strings.Repeat("old\n", 60)) }
	for name, c := range map[string]struct {
		change func(*ledger.Defect, *Input)
		want   bool
	}{
		"at its lines":         {func(*ledger.Defect, *Input) {}, true},
		"only where it is on":  {func(_ *ledger.Defect, in *Input) { in.Suggestions = false }, false},
		"not after a move":     {func(d *ledger.Defect, _ *Input) { d.LastMoved = head }, false},
		"not when it is fixed": {func(d *ledger.Defect, _ *Input) { d.Status = ledger.Closed }, false},
		"not when it is clipped": {func(d *ledger.Defect, _ *Input) {
			d.Locations[0].Start = 1
		}, false},
		"not when nothing changes": {func(d *ledger.Defect, _ *Input) { d.Suggestion = "old" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := defect(1, "a.go", 13, 13)
			d.Suggestion = "new"
			in := input(t, d)
			in.Text, in.Suggestions = text, true
			c.change(d, &in)
			p := Decide(in)
			got := len(p.Comments) == 1 && strings.Contains(p.Comments[0].Body, "```suggestion\nnew\n```")
			if got != c.want {
				t.Errorf("a suggestion: %v, want %v; %+v", got, c.want, p.Comments)
			}
		})
	}
}
