package learn

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/glob"
	"github.com/crev-ratchet/crev/internal/rule"
)

// Relation says how a proposal stands to a rule that is there already. The zero
// value is unrelated.
type Relation string

// The relations.
const (
	Unrelated   Relation = ""
	Same        Relation = "same"
	Narrower    Relation = "narrower"
	Wider       Relation = "wider"
	Replaces    Relation = "replaces"
	Contradicts Relation = "contradicts"
)

// against reports whether the relation changes what a rule says: that takes
// somebody who knows the code.
func (r Relation) against() bool { return r == Replaces || r == Contradicts }

func parseRelation(s string) Relation {
	switch r := Relation(s); r {
	case Same, Narrower, Wider, Replaces, Contradicts:
		return r
	}
	return Unrelated
}

// Rules are what a proposal is compared with.
type Rules struct {
	All []rule.Rule
	// Files are the tracked files of the repository: scopes are compared by
	// what they match.
	Files []string
	// Shaped are the ids of the rules that shaped the comment which the
	// reply answers.
	Shaped []string
}

// Compare finds the rule that a proposal is about, and how it stands to it.
// What a model says counts only where it cannot hide a conflict: a rule of the
// other kind, of the same category and of overlapping scope is contradicted
// whatever it says, and so is the rule that shaped the comment.
func (rs Rules) Compare(p Proposal) (rule.Rule, Relation) {
	var found rule.Rule
	best := Unrelated
	for _, r := range rs.All {
		if r.Status == rule.Superseded {
			continue
		}
		rel := rs.relation(p, r)
		if weight(rel) > weight(best) || weight(rel) == weight(best) && rel != Unrelated && r.ID == p.Rule {
			found, best = r, rel
		}
	}
	return found, best
}

// weight orders relations by how much they ask for.
func weight(r Relation) int {
	return slices.Index([]Relation{Unrelated, Narrower, Wider, Same, Replaces, Contradicts}, r)
}

func (rs Rules) relation(p Proposal, r rule.Rule) Relation {
	named := p.Rule == r.ID
	shaped := slices.Contains(rs.Shaped, r.ID)
	about := finding.Label(p.Category) == finding.Label(r.Category) && r.Category != ""
	scope := rs.scopes(p, r)
	if !named && !shaped && !about || scope == apart {
		return Unrelated
	}
	kind := rule.Kind(p.Kind)
	switch {
	case kind != r.Kind && r.Kind != rule.Context && r.Status != rule.Disabled && (about || shaped):
		return Contradicts
	case named && p.Relation.against():
		return p.Relation
	case kind != r.Kind:
		return Unrelated
	}
	same := finding.Normalize(p.Says) == finding.Normalize(r.Says) || named && p.Relation == Same
	switch {
	case same && scope == outer, named && p.Relation == Wider && scope == outer:
		return Wider
	case named && p.Relation == Narrower && scope == inner:
		return Narrower
	case same:
		return Same
	case shaped && kind == rule.Always:
		return Replaces
	}
	return Unrelated
}

// overlap says how the files of a proposal's scope stand to those of a rule's.
type overlap uint8

const (
	apart   overlap = iota // no file in common
	equal                  // the same files
	inner                  // the proposal matches fewer
	outer                  // the proposal matches more
	crossed                // each matches some that the other does not
)

func (rs Rules) scopes(p Proposal, r rule.Rule) overlap {
	scope := rule.Scope{p.Scope}
	if slices.Equal(scope, r.Scope) {
		return equal
	}
	both, mine, theirs := 0, 0, 0
	for _, f := range rs.Files {
		a, b := glob.Match(scope, f), r.Applies(f, r.ForAuthor)
		switch {
		case a && b:
			both++
		case a:
			mine++
		case b:
			theirs++
		}
	}
	switch {
	case both == 0:
		return apart
	case mine == 0 && theirs == 0:
		return equal
	case mine == 0:
		return inner
	case theirs == 0:
		return outer
	}
	return crossed
}
