package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/diff"
)

// memory is a history of whole trees.
type memory []map[string]string

func (m memory) Commits() []string {
	ids := make([]string, len(m))
	for i := range ids {
		ids[i] = fmt.Sprintf("%040d", i)
	}
	return ids
}

func (m memory) Changed(n int) ([]diff.File, error) {
	var out []diff.File
	for _, p := range m.names(n-1, n) {
		was, had := m[n-1][p]
		is, has := m[n][p]
		switch {
		case had && has && was != is:
			out = append(out, diff.File{OldPath: p, NewPath: p, Status: diff.Modified, Kind: diff.Text})
		case had && !has:
			out = append(out, diff.File{OldPath: p, Status: diff.Deleted, Kind: diff.Text})
		case !had && has:
			out = append(out, diff.File{NewPath: p, Status: diff.Added, Kind: diff.Text})
		}
	}
	return out, nil
}

func (m memory) names(commits ...int) []string {
	var out []string
	for _, n := range commits {
		for p := range m[n] {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (m memory) Paths(n int) ([]string, error) { return m.names(n), nil }

func (m memory) Read(n int, path string) ([]byte, error) {
	text, ok := m[n][path]
	if !ok {
		return nil, fmt.Errorf("commit %d has no %s", n, path)
	}
	return []byte(text), nil
}

// store is a file of functions that open, compare, index and close, version is
// how many of its notes at the top there are, so that every line shifts.
func store(functions, version int) string {
	var b strings.Builder
	b.WriteString("package store\n\n")
	for i := range version {
		fmt.Fprintf(&b, "// Note %d on how the entries are kept.\n", i)
	}
	for i := range functions {
		fmt.Fprintf(&b, `
// Entry%[1]d reads the entry of shelf %[1]d.
func Entry%[1]d(shelf%[1]d *Shelf, limit int) (string, error) {
	file%[1]d, err := shelf%[1]d.Open("entry-%[1]d", limit)
	if err != nil {
		return "", err
	}
	defer file%[1]d.Close()
	names%[1]d := file%[1]d.Names(limit, %[1]d)
	if len(names%[1]d) < limit && shelf%[1]d.Ready {
		return names%[1]d[0], nil
	}
	label%[1]d := strings.Join(names%[1]d, "-")
	return label%[1]d, shelf%[1]d.Check(label%[1]d, limit)
}
`, i)
	}
	return b.String()
}

func longHistory() memory {
	var m memory
	for n := range 24 {
		m = append(m, map[string]string{
			"store/entry.go": store(6, n),
			"store/other.go": store(2, 0),
			"README.md":      strings.Repeat("A line.\n", n),
		})
	}
	return m
}

func TestPlanted(t *testing.T) {
	t.Parallel()
	opts := PlantedOptions{Plants: 24, Seed: 7, Recall: 0.6}
	r, err := Planted(longHistory(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if r.Cases != opts.Plants || r.Rounds < 3*r.Cases {
		t.Errorf("%d cases with %d rounds, want %d with some rounds each; given up: %v", r.Cases, r.Rounds, opts.Plants, r.Discarded)
	}
	for name, e := range r.Endings {
		if e.Cases == 0 {
			t.Errorf("no case ends with %q; given up: %v", name, r.Discarded)
		}
	}
	crev, sameLine := r.Places[0], r.Places[1]
	if crev.Method != crevName || crev.Alive == 0 || crev.Coverage < 0.9 || crev.ErrorRate > 0.05 {
		t.Errorf("places = %+v, want crev to state most of them rightly", crev)
	}
	if sameLine.ErrorRate < 0.3 {
		t.Errorf("%+v: lines hardly move in these cases", sameLine)
	}
	rules := map[string]PlantedLifecycle{}
	for _, l := range r.Lifecycle {
		rules[l.Rule] = l
	}
	if l := rules[crevName]; l.TooEarly > 0.05 || l.Recognition < 0.7 || l.Partly == 0 {
		t.Errorf("lifecycle = %+v", l)
	}
	if touch, silence := rules["close on touch"], rules["close on silence"]; touch.TooEarly == 0 || silence.TooEarly == 0 {
		t.Errorf("the rules that close without a look close nothing: %+v, %+v", touch, silence)
	}
	if r.Reopen.Back == 0 || r.ReopenLine.Back > r.Reopen.Back {
		t.Errorf("reopen = %+v, on changed lines %+v", r.Reopen, r.ReopenLine)
	}
	if c := r.Cost; c.Unlooked+c.Inspections != c.Followed || c.CarriedShare < 0.3 || c.Diffs == 0 || c.Blobs == 0 {
		t.Errorf("cost = %+v", c)
	}
	for _, p := range r.Identity {
		if p.Sightings != r.Identity[0].Sightings || p.Records > p.Sightings || p.DuplicateRate > 1 {
			t.Errorf("identity = %+v", p)
		}
	}
}

func TestPlantedIsDeterministic(t *testing.T) {
	t.Parallel()
	play := func(seed uint64) PlantedResult {
		r, err := Planted(longHistory(), PlantedOptions{Plants: 6, Seed: seed, Recall: 0.6})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := play(3)
	if d := cmp.Diff(first, play(3)); d != "" {
		t.Errorf("a second run with the seed differs (-first +second):\n%s", d)
	}
	if cmp.Equal(first, play(4)) {
		t.Error("another seed gives the same result")
	}
}

func TestPlantedRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		history memory
		recall  float64
		want    error // nil for any
	}{
		"a recall that is no share":  {longHistory(), 1.5, nil},
		"a history without code":     {memory{{"a.md": "x\n"}, {"a.md": "y\n"}}, 0.5, ErrNoPlants},
		"a history of one commit":    {longHistory()[:1], 0.5, ErrNoPlants},
		"a history without a commit": {memory{}, 0.5, ErrNoPlants},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Planted(tc.history, PlantedOptions{Plants: 2, Recall: tc.recall})
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("Planted = %v, want %v", err, tc.want)
			}
		})
	}
}

func TestSightingsStayInTheFile(t *testing.T) {
	t.Parallel()
	c := &plantedCase{defects: []*plantedDefect{{mutation: &mutations[0], function: "f", code: "g"}}}
	head := &plantedTree{id: "1", own: map[string][]byte{"a.py": []byte("def f():\n    return g(1)\n")}}
	for shift, want := range map[int]int{1: 2, 0: 2, -3: 1} {
		s, err := sight(c, 0, plantedRound{head: head}, siteTruth{true, "a.py", 2}, shift, "{func} calls {code}.")
		if err != nil || s.StartLine != want || s.Claim != "f calls g." {
			t.Errorf("a sighting %d lines beside line 2 of 2 = line %d, %q, %v, want line %d", shift, s.StartLine, s.Claim, err, want)
		}
	}
}
