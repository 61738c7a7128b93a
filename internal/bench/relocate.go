package bench

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/crev-ratchet/crev/internal/relocate"
)

// RelocateResult says how often the code of a known defect was found again.
type RelocateResult struct {
	// Code are elements of real code that a real commit changed or removed.
	Code RelocateSet `json:"code"`
	// Mutations are real files with one scripted change.
	Mutations RelocateSet `json:"mutations"`
	// Anchor are the cases of both whose file is still there, answered from
	// the stored anchor alone, as when the old commit is gone.
	Anchor RelocateSet `json:"anchor"`
	// Reopen are the deleted lines of both. Present are the ones brought
	// back by undoing the change, Removed the deletions themselves, which
	// must not look like a return.
	Reopen RelocateSet `json:"reopen"`
}

// RelocateSet is the score of one set of cases.
type RelocateSet struct {
	RelocateScore
	// ByHow, ByMutation and ByRepository cut the same cases by the layer that
	// answered, by the kind of change and by where the code comes from; each
	// is ordered by name.
	ByHow        []RelocateGroup `json:"by_how"`
	ByMutation   []RelocateGroup `json:"by_mutation,omitempty"`
	ByRepository []RelocateGroup `json:"by_repository"`
	// Misses are the cases that were answered wrongly or not at all, in the
	// order of the file.
	Misses []RelocateMiss `json:"misses,omitempty"`
}

// RelocateGroup is the score of the cases that share a property.
type RelocateGroup struct {
	Name string `json:"name"`
	RelocateScore
}

// RelocateScore counts cases. Any place that is shown counts as an answer,
// guesses included; shares are of Present, for ClaimedShare of Removed.
type RelocateScore struct {
	// Present counts the cases whose code is still there; they are Exact
	// (path and line are right), Wrong (another place) or Lost (none).
	Present int `json:"present"`
	Exact   int `json:"exact"`
	Wrong   int `json:"wrong"`
	Lost    int `json:"lost"`
	// Removed counts the cases whose code is gone, Claimed those for which
	// a place was shown all the same.
	Removed int `json:"removed"`
	Claimed int `json:"claimed"`

	ExactShare   float64 `json:"exact_share"`
	WrongShare   float64 `json:"wrong_share"`
	LostShare    float64 `json:"lost_share"`
	ClaimedShare float64 `json:"claimed_share"`

	// Confidence is the mean of the stated confidences of the answers that
	// show a place, for a comparison with how many of them are right.
	Confidence float64 `json:"confidence"`
	// Precision is the share of the shown places that are right.
	Precision float64 `json:"precision"`
}

// RelocateMiss is one case that was not answered rightly. Line 0 means gone.
type RelocateMiss struct {
	Case      int    `json:"case"` // the line in the cases file, from 1
	Set       string `json:"set"`
	Mutation  string `json:"mutation,omitempty"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	How       string `json:"how"`
	WantPath  string `json:"want_path,omitempty"`
	WantLine  int    `json:"want_line,omitempty"`
	FoundPath string `json:"found_path,omitempty"`
	FoundLine int    `json:"found_line,omitempty"`
	Reason    string `json:"reason"`
}

// Relocate runs internal/relocate over the cases of a folder: code_cases with
// code_blobs and mutation_cases with mutation_blobs, each as .jsonl or
// .jsonl.gz. A pair that is not there is skipped; a folder with neither is an
// error. The result depends on nothing but the files.
func Relocate(cases fs.FS) (RelocateResult, error) {
	var r RelocateResult
	code, err := relocateCases(cases, "code")
	if err != nil {
		return r, err
	}
	mutations, err := relocateCases(cases, "mutation")
	if err != nil {
		return r, err
	}
	if len(code)+len(mutations) == 0 {
		return r, fmt.Errorf("read relocation cases: neither code_cases.jsonl nor mutation_cases.jsonl (.gz) is there; give the folder that holds them")
	}
	for _, set := range []struct {
		name   string
		into   *RelocateSet
		trials []trial
	}{
		{"code", &r.Code, located(code)},
		{"mutations", &r.Mutations, located(mutations)},
		{"anchor", &r.Anchor, anchored(slices.Concat(code, mutations))},
		{"reopen", &r.Reopen, reopened(slices.Concat(code, mutations))},
	} {
		if *set.into, err = score(set.name, set.trials); err != nil {
			return r, err
		}
	}
	return r, nil
}

// score runs the trials of one set.
func score(set string, trials []trial) (RelocateSet, error) {
	var out RelocateSet
	how, mutation, repo := groups{}, groups{}, groups{}
	for _, t := range trials {
		a, err := t.run()
		if err != nil {
			return out, fmt.Errorf("relocate case %d of %s: %w", t.number, set, err)
		}
		o := t.outcome(a)
		out.add(o)
		how.at(string(a.How)).add(o)
		repo.at(t.repository()).add(o)
		if t.Mutation != "" {
			mutation.at(t.Mutation).add(o)
		}
		if !o.right {
			out.Misses = append(out.Misses, t.miss(set, a))
		}
	}
	out.close()
	out.ByHow, out.ByMutation, out.ByRepository = how.sorted(), mutation.sorted(), repo.sorted()
	return out, nil
}

// outcome is how one case ended.
type outcome struct {
	present, shown, right bool
	confidence            float64
}

func (t *trial) outcome(a relocate.Answer) outcome {
	o := outcome{present: t.want != nil, shown: a.How != relocate.Gone, confidence: a.Confidence}
	if !o.present {
		o.right = !o.shown
		return o
	}
	o.right = o.shown && a.Location.Path == t.want.Path && a.Location.Start == t.want.Line
	return o
}

func (t *trial) miss(set string, a relocate.Answer) RelocateMiss {
	m := RelocateMiss{
		Case: t.number, Set: set, Mutation: t.Mutation, Path: t.OldPath, Line: t.OldLine,
		How: string(a.How), FoundPath: a.Location.Path, FoundLine: a.Location.Start, Reason: a.Reason,
	}
	if t.want != nil {
		m.WantPath, m.WantLine = t.want.Path, t.want.Line
	}
	return m
}

func (s *RelocateScore) add(o outcome) {
	switch {
	case !o.present:
		s.Removed++
		if o.shown {
			s.Claimed++
		}
	case o.right:
		s.Present++
		s.Exact++
	case o.shown:
		s.Present++
		s.Wrong++
	default:
		s.Present++
		s.Lost++
	}
	if o.shown {
		s.Confidence += o.confidence
	}
}

// close turns the sums into shares.
func (s *RelocateScore) close() {
	share := func(n, of int) float64 {
		if of == 0 {
			return 0
		}
		return float64(n) / float64(of)
	}
	s.ExactShare = share(s.Exact, s.Present)
	s.WrongShare = share(s.Wrong, s.Present)
	s.LostShare = share(s.Lost, s.Present)
	s.ClaimedShare = share(s.Claimed, s.Removed)
	shown := s.Exact + s.Wrong + s.Claimed
	s.Precision = share(s.Exact, shown)
	if shown > 0 {
		s.Confidence /= float64(shown)
	}
}

type groups map[string]*RelocateScore

func (g groups) at(name string) *RelocateScore {
	s := g[name]
	if s == nil {
		s = new(RelocateScore)
		g[name] = s
	}
	return s
}

func (g groups) sorted() []RelocateGroup {
	out := make([]RelocateGroup, 0, len(g))
	for _, name := range slices.Sorted(maps.Keys(g)) {
		g[name].close()
		out = append(out, RelocateGroup{name, *g[name]})
	}
	return out
}
