package expertise

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Person is somebody in a dispute.
type Person struct {
	// Login is their account.
	Login string
	// Emails are the addresses that GitHub ties to the account. Without them
	// only a noreply address does, and nearly all their work may be unseen.
	Emails []string
	Access Access
	// Seen is when crev last saw them do something, such as reply or teach a
	// rule; the zero time if it never did.
	Seen time.Time
}

// Ranked is what one person has to do with a part of the repository.
type Ranked struct {
	// Name is the one on their newest commit; Login is "" if no address tells
	// it.
	Name, Login string
	// Points are for the terminal of whoever asks, never for a file or a
	// comment.
	Points int
	State  State
	// Last is when they last did something anywhere in the repository.
	Last time.Time
}

// Rank returns who knows the files that scope reports true for, most points
// first, without those who have none. Here alone an equal full name is the
// same person.
func (g *Graph) Rank(scope func(path string) bool) []Ranked {
	if g == nil {
		return nil
	}
	joined := g.dir.byName()
	sums := g.sums(scope, joined)
	last, face := g.last(joined), g.faces(joined)
	var out []Ranked
	for i, sum := range sums {
		n := points(sum)
		if n == 0 {
			continue
		}
		out = append(out, Ranked{Name: face[i].name, Login: face[i].login, Points: n,
			State: stateOf(last[i], g.now, AccessUnknown), Last: time.Unix(last[i], 0).UTC()})
	}
	slices.SortStableFunc(out, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), b.Last.Compare(a.Last),
			strings.Compare(a.Name, b.Name), strings.Compare(a.Login, b.Login))
	})
	return out
}

// Bonus returns what a person's standing adds to the score of a rule about the
// files of scope: 0 to 3, rarely more. It is 0 without a history.
func (g *Graph) Bonus(p Person, scope func(path string) bool) int {
	return g.standings([]Person{p}, scope)[0].points / PointsPerBonus
}

// standing is what a person brings to a dispute.
type standing struct {
	Person
	points int
	state  State
}

// standings returns the standing of each person.
func (g *Graph) standings(persons []Person, scope func(path string) bool) []standing {
	out := make([]standing, len(persons))
	if g == nil {
		for i, p := range persons {
			out[i] = standing{Person: p, state: Away}
		}
		return out
	}
	joined, at := g.dir.people(persons)
	sums, last := g.sums(scope, joined), g.last(joined)
	for i, p := range persons {
		s := standing{Person: p}
		var seen int64
		if !p.Seen.IsZero() {
			seen = p.Seen.Unix()
		}
		if at[i] >= 0 {
			s.points = points(sums[at[i]])
			seen = max(seen, last[at[i]])
		}
		s.state = stateOf(seen, g.now, p.Access)
		out[i] = s
	}
	return out
}

// sums returns the weight of everybody's work on the files of scope, by the
// number of their group.
func (g *Graph) sums(scope func(path string) bool, joined groups) []float64 {
	inside := make([]bool, len(g.paths))
	for i, p := range g.paths {
		inside[i] = scope(p)
	}
	sums := make([]float64, len(joined))
	// counted is the last work that counted for a group: with several roles in
	// one commit the first, which is the author's, counts.
	counted := make([]int, len(joined))
	for i := range g.works {
		w := &g.works[i]
		if !slices.ContainsFunc(w.paths, func(p int32) bool { return inside[p] }) {
			continue
		}
		if w.author != nobody {
			at := joined.find(w.author)
			sums[at] += w.weight
			counted[at] = i + 1
		}
		for _, o := range w.others {
			if at := joined.find(o); counted[at] != i+1 {
				sums[at] += ByReview * w.weight
				counted[at] = i + 1
			}
		}
	}
	return sums
}

// last returns when the people of each group last did something.
func (g *Graph) last(joined groups) []int64 {
	last := make([]int64, len(joined))
	for i := range g.dir.all {
		at := joined.find(int32(i))
		last[at] = max(last[at], g.dir.all[i].last)
	}
	return last
}

// faces returns the name and the login to show for each group: those of the
// identity that was seen last.
func (g *Graph) faces(joined groups) []identity {
	faces := make([]identity, len(joined))
	for i, one := range g.dir.all {
		at := joined.find(int32(i))
		face := &faces[at]
		if face.name == "" || one.last > face.last {
			face.name, face.last = cmp.Or(one.name, face.name), one.last
		}
		face.login = cmp.Or(face.login, one.login)
	}
	return faces
}
