package ledger

import (
	"cmp"
	"slices"
)

// CheckTransitions judges every event that want accepts, or every event when
// want is nil, in the view that its writer had: the events of no pull request,
// those of its own, and those of pull requests merged by then. It returns the
// illegal ones in the order in which events are folded.
//
// That is fairer than the problems of one State: two honest pull requests that
// are merged one after the other can leave an event that no longer goes with
// the status, and neither is to blame.
func CheckTransitions(events []Event, want func(*Event) bool) []Problem {
	events = Sort(events)
	mergedAt := map[int]int64{}
	for i := range events {
		e := &events[i]
		if at, known := mergedAt[e.PR]; e.MergedPR != nil && (!known || e.At.Unix() < at) {
			mergedAt[e.PR] = e.At.Unix()
		}
	}
	var out []Problem
	place := map[ID]int{}
	for _, family := range families(events) {
		j := newJudge(family, mergedAt)
		for i, e := range family {
			if want != nil && !want(e) {
				continue
			}
			if p, illegal := j.judge(i); illegal {
				out = append(out, p)
			}
		}
	}
	if len(out) > 1 {
		for i := range events {
			place[events[i].ID] = i
		}
		slices.SortFunc(out, func(a, b Problem) int { return cmp.Compare(place[a.Event], place[b.Event]) })
	}
	return out
}

// judge folds one family as the writers of its events saw it.
type judge struct {
	family   []*Event
	mergedAt map[int]int64
	// merges are the times at which pull requests of the family were
	// merged, in order.
	merges []int64
	lenses map[int]*lens
}

// lens is the family in the view of one pull request, up to some event.
type lens struct {
	state  *State
	next   int // the first event of the family that was not looked at
	merges int // how many merges it has seen
}

func newJudge(family []*Event, mergedAt map[int]int64) *judge {
	j := &judge{family: family, mergedAt: mergedAt, lenses: map[int]*lens{}}
	counted := map[int]bool{}
	for _, e := range family {
		if at, merged := mergedAt[e.PR]; merged && !counted[e.PR] {
			counted[e.PR] = true
			j.merges = append(j.merges, at)
		}
	}
	slices.Sort(j.merges)
	return j
}

// judge reports whether event i of the family is illegal, and why. It is called
// with rising i.
func (j *judge) judge(i int) (Problem, bool) {
	e := j.family[i]
	now := e.At.Unix()
	merges, _ := slices.BinarySearch(j.merges, now+1)
	l := j.lenses[e.PR]
	if l == nil || l.merges != merges {
		// A merge brings older events in: look again from the start.
		l = &lens{state: newState(View{PR: e.PR}), merges: merges}
		j.lenses[e.PR] = l
	}
	var err error
	for ; l.next <= i; l.next++ {
		x := j.family[l.next]
		if at, merged := j.mergedAt[x.PR]; x.PR == 0 || x.PR == e.PR || merged && at <= now {
			err = l.state.apply(x)
		}
	}
	if err != nil {
		return refusal(e, err), true
	}
	return Problem{}, false
}

// families groups the events about defects, each group in order: defects that a
// merge or a split links are one family, because what is legal for one may hang
// on the others.
func families(events []Event) [][]*Event {
	links := union{}
	for i := range events {
		switch e := &events[i]; {
		case e.Merged != nil:
			links.join(e.Defect, e.Merged.Into)
		case e.Split != nil:
			for _, id := range e.Split.Into {
				links.join(e.Defect, id)
			}
		}
	}
	at := map[DefectID]int{}
	var out [][]*Event
	for i := range events {
		e := &events[i]
		if e.Defect == "" {
			continue
		}
		root := links.root(e.Defect)
		n, known := at[root]
		if !known {
			n = len(out)
			at[root] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], e)
	}
	return out
}

// union is a forest of sets of defects.
type union map[DefectID]DefectID

func (u union) root(id DefectID) DefectID {
	for u[id] != "" {
		if up := u[u[id]]; up != "" {
			u[id] = up // halve the path
		}
		id = u[id]
	}
	return id
}

func (u union) join(a, b DefectID) {
	if ra, rb := u.root(a), u.root(b); ra != rb {
		u[max(ra, rb)] = min(ra, rb)
	}
}
