package bench

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/crev-ratchet/crev/internal/rule"
)

// MemoryRunner plays pairs. It owns the repository, the scripted model and the
// stand-in for GitHub; this package only reads what comes of them.
type MemoryRunner interface {
	// PlayPair lets a pair's people teach, if it has any, and reviews the
	// follow-up in every arm.
	PlayPair(ctx context.Context, p *Pair) (PairSeen, error)
}

// PairSeen is what a play of a pair leaves behind.
type PairSeen struct {
	// Outcomes are what became of the replies, one word and the rule's id each.
	Outcomes []string
	// Rules are those that the follow-up's base has with memory on.
	Rules []rule.Rule
	// Taught are those that replies added or changed.
	Taught []rule.Rule
	// Off is the follow-up without the rules, On with them. Hostile has them
	// too, and a model that names every rule for every finding and asks for
	// every rule in every file.
	Off, On, Hostile Seen
}

// MemoryResult is what the pairs came to. Shares are between 0 and 1; a share of
// nothing is what a perfect program would have. docs/bench.md has the formulas.
type MemoryResult struct {
	Pairs int `json:"pairs"`
	// Taught counts pairs whose rules came from replies, Committed those
	// whose rules were files.
	Taught    int `json:"taught"`
	Committed int `json:"committed"`

	Off     MemoryArm `json:"off"`
	On      MemoryArm `json:"on"`
	Hostile MemoryArm `json:"hostile"`

	// Fall is how many comments fewer there are with memory on, those that a
	// rule asked for counted in / comments with memory off.
	Fall float64 `json:"fall"`
	// Stopped is unwanted comments that memory on keeps back / those that are
	// posted with memory off.
	Stopped float64 `json:"stopped"`
	// Asked is asked-for comments that appear / asked for.
	Asked float64 `json:"asked"`

	// FalseClaims counts replies that the code contradicts, Injections those
	// that give orders to crev; the others how many of them left a rule.
	FalseClaims      int `json:"false_claims"`
	FalseClaimsSaved int `json:"false_claims_saved"`
	Injections       int `json:"injections"`
	InjectionsSaved  int `json:"injections_saved"`

	Failures []MemoryFailure `json:"failures"`
}

// MemoryArm is how the follow-ups look in one arm.
type MemoryArm struct {
	Comments int `json:"comments"`
	// What was found, by what it is, and how much of it is posted.
	Unwanted Posted `json:"unwanted"`
	Bugs     Posted `json:"bugs"`
	Security Posted `json:"security"`
	Outside  Posted `json:"outside"`
	Other    Posted `json:"other"`
	Asked    Posted `json:"asked"`
	// OutOfScope counts effects of a rule where it does not hold: a comment
	// kept back or made.
	OutOfScope int `json:"out_of_scope"`
	// Wanted is comments that nobody minds / comments.
	Wanted float64 `json:"wanted_precision"`
	// Golden is comments on bugs, security issues and what was asked for /
	// comments; Recall is the posted of them / all of them.
	Golden float64 `json:"golden_precision"`
	Recall float64 `json:"recall"`
}

// Posted counts the findings of one kind.
type Posted struct {
	Posted int `json:"posted"`
	Of     int `json:"of"`
}

// Hidden is how many of them are not posted.
func (p Posted) Hidden() int { return p.Of - p.Posted }

func (p *Posted) count(posted bool) {
	p.Of++
	if posted {
		p.Posted++
	}
}

func (p *Posted) add(q Posted) { p.Posted, p.Of = p.Posted+q.Posted, p.Of+q.Of }

// MemoryFailure is one place where a pair went another way than it should.
type MemoryFailure struct {
	Pair string `json:"pair"`
	// Arm is off, on or hostile, "" for the teaching.
	Arm string `json:"arm"`
	// About is the finding's claim, or the reply.
	About    string `json:"about"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// Memory plays every pair of a folder and scores it.
func Memory(ctx context.Context, fsys fs.FS, runner MemoryRunner) (MemoryResult, error) {
	pairs, err := ReadPairs(fsys)
	if err != nil {
		return MemoryResult{}, err
	}
	var parts []MemoryResult
	for _, p := range pairs {
		r, err := PlayPair(ctx, p, runner)
		if err != nil {
			return MemoryResult{}, err
		}
		parts = append(parts, r)
	}
	return SumMemory(parts), nil
}

// PlayPair plays one pair and scores it.
func PlayPair(ctx context.Context, p *Pair, runner MemoryRunner) (MemoryResult, error) {
	seen, err := runner.PlayPair(ctx, p)
	if err != nil {
		return MemoryResult{}, fmt.Errorf("pair %s: %w", p.Name, err)
	}
	return scorePair(p, seen), nil
}

// SumMemory adds the counts of pairs up and computes the shares of all.
func SumMemory(parts []MemoryResult) MemoryResult {
	sum := MemoryResult{Failures: []MemoryFailure{}}
	for _, p := range parts {
		sum.Pairs += p.Pairs
		sum.Taught += p.Taught
		sum.Committed += p.Committed
		sum.Off.add(p.Off)
		sum.On.add(p.On)
		sum.Hostile.add(p.Hostile)
		sum.FalseClaims += p.FalseClaims
		sum.FalseClaimsSaved += p.FalseClaimsSaved
		sum.Injections += p.Injections
		sum.InjectionsSaved += p.InjectionsSaved
		sum.Failures = append(sum.Failures, p.Failures...)
	}
	sum.share()
	return sum
}

func (a *MemoryArm) add(b MemoryArm) {
	a.Comments += b.Comments
	a.Unwanted.add(b.Unwanted)
	a.Bugs.add(b.Bugs)
	a.Security.add(b.Security)
	a.Outside.add(b.Outside)
	a.Other.add(b.Other)
	a.Asked.add(b.Asked)
	a.OutOfScope += b.OutOfScope
}

func (r *MemoryResult) share() {
	for _, a := range []*MemoryArm{&r.Off, &r.On, &r.Hostile} {
		real := a.Bugs.Posted + a.Security.Posted + a.Asked.Posted
		a.Wanted = good(a.Comments-a.Unwanted.Posted, a.Comments)
		a.Golden = good(real, a.Comments)
		a.Recall = good(real, a.Bugs.Of+a.Security.Of+a.Asked.Of)
	}
	r.Fall = 0
	if r.Off.Comments > 0 {
		r.Fall = 1 - float64(r.On.Comments)/float64(r.Off.Comments)
	}
	r.Stopped = good(r.Off.Unwanted.Posted-r.On.Unwanted.Posted, r.Off.Unwanted.Posted)
	r.Asked = good(r.On.Asked.Posted, r.On.Asked.Of)
}
