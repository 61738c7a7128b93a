package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Comparison is what a change of rules, of prompts or of the model did.
type Comparison struct {
	Before Side `json:"before"`
	After  Side `json:"after"`
	// Cases counts those that are compared, Skipped names those that are not:
	// only one run has them, or they are not the same in both.
	Cases   int      `json:"cases"`
	Skipped []string `json:"skipped"`

	// Gained and Lost are real findings that only one of the runs made.
	Gained []Change `json:"gained"`
	Lost   []Change `json:"lost"`
	// Stopped and Started are unwanted ones that only one mentions.
	Stopped []Change `json:"stopped"`
	Started []Change `json:"started"`
	// LostShielded counts the lost ones that no rule may hide.
	LostShielded int `json:"lost_shielded"`

	// Verdict is of all cases, Sets of the frozen and the live ones apart.
	Verdict Verdict            `json:"verdict"`
	Sets    map[string]Verdict `json:"sets"`
}

// Side is one of the runs, on the compared cases.
type Side struct {
	Model string   `json:"model"`
	Rules []string `json:"rules"`
	Score RunScore `json:"score"`
}

// Change is an expectation that one run met and the other did not.
type Change struct {
	Case string `json:"case"`
	Set  string `json:"set"`
	Met
}

// Verdict is what a comparison comes to. The zero value is none.
type Verdict string

// The verdicts.
const (
	// Better: something is gained, and nothing is lost or newly unwanted.
	Better Verdict = "better"
	// Worse: the other way around.
	Worse Verdict = "worse"
	// Even: nothing changed that a case speaks of.
	Even Verdict = "same"
	// Trade: some of both, or a gain at a lower precision. People decide it.
	Trade Verdict = "trade"
)

// ReadRun reads what bench run wrote. Unknown keys and newer versions are
// refused; the scores are computed anew.
func ReadRun(text []byte) (RunResult, error) {
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return RunResult{}, fmt.Errorf("it is no JSON object of a run: %w", err)
	}
	if version.Version > RunVersion {
		return RunResult{}, fmt.Errorf("version %d: this crev reads version %d; update crev", version.Version, RunVersion)
	}
	if version.Version < 1 {
		return RunResult{}, errors.New("it has no version; want what `crev bench run --json` prints")
	}
	var r RunResult
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return RunResult{}, err
	}
	seen := map[string]bool{}
	for _, c := range r.Cases {
		if seen[c.Name] {
			return RunResult{}, fmt.Errorf("case %s is there twice", c.Name)
		}
		seen[c.Name] = true
	}
	r.sum()
	return r, nil
}

// Compare says what became better and what became worse, on the cases that both
// runs have with the same content.
func Compare(a, b RunResult) Comparison {
	c := Comparison{Skipped: []string{}, Gained: []Change{}, Lost: []Change{}, Stopped: []Change{}, Started: []Change{}, Sets: map[string]Verdict{}}
	var before, after []CaseResult
	for _, old := range a.Cases {
		i := slices.IndexFunc(b.Cases, old.sameCase)
		if i < 0 {
			c.Skipped = append(c.Skipped, old.Name)
			continue
		}
		before, after = append(before, old), append(after, b.Cases[i])
		c.compare(old, b.Cases[i])
	}
	for _, fresh := range b.Cases {
		if !slices.ContainsFunc(a.Cases, fresh.sameCase) && !slices.Contains(c.Skipped, fresh.Name) {
			c.Skipped = append(c.Skipped, fresh.Name)
		}
	}
	c.Cases = len(before)
	c.Before = Side{a.Model, a.Rules, sumCases(before)}
	c.After = Side{b.Model, b.Rules, sumCases(after)}
	for _, l := range c.Lost {
		if l.Shielded {
			c.LostShielded++
		}
	}
	c.Verdict = c.verdict("", before, after)
	for _, one := range after {
		c.Sets[one.Set] = c.verdict(one.Set, before, after)
	}
	return c
}

func (c CaseResult) sameCase(o CaseResult) bool {
	return c.Name == o.Name && c.Hash == o.Hash && len(c.Expected) == len(o.Expected)
}

// compare lists what changed in one case. A case that was frozen in between
// counts for the set that it is in now.
func (c *Comparison) compare(old, now CaseResult) {
	for i, was := range old.Expected {
		is := now.Expected[i]
		if was.Made == is.Made {
			continue
		}
		list := map[[2]bool]*[]Change{
			{true, true}: &c.Gained, {true, false}: &c.Lost, {false, true}: &c.Started, {false, false}: &c.Stopped,
		}[[2]bool{is.Real, is.Made}]
		change := Change{now.Name, now.Set, is}
		if was.Made {
			change.As = was.As
		}
		*list = append(*list, change)
	}
}

// verdict weighs the changes of one set, "" for all. What no case speaks of may be
// right or wrong, so more of it makes nothing worse; but a gain that comes with a
// lower precision is for people to decide.
func (c *Comparison) verdict(set string, before, after []CaseResult) Verdict {
	in := func(lists ...[]Change) bool {
		return slices.ContainsFunc(slices.Concat(lists...), func(ch Change) bool { return set == "" || ch.Set == set })
	}
	var was, is []CaseResult
	for i := range after {
		if set == "" || after[i].Set == set {
			was, is = append(was, before[i]), append(is, after[i])
		}
	}
	up, down := in(c.Gained, c.Stopped), in(c.Lost, c.Started)
	switch {
	case up && (down || sumCases(is).Golden < sumCases(was).Golden):
		return Trade
	case up:
		return Better
	case down:
		return Worse
	}
	return Even
}
