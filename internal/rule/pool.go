package rule

import (
	"cmp"
	"slices"
	"time"
)

// Caps bound how many rules are in view. The zero value lets none through; see
// DefaultCaps.
type Caps struct {
	// MaxActive bounds all rules, MaxPerKind those of one kind.
	MaxActive, MaxPerKind int
	// RecentDays is for how many days after a lesson a rule is never put to
	// sleep.
	RecentDays int
}

// DefaultCaps are the bounds of an empty configuration. A hundred lines of an
// index are three to four thousand tokens.
func DefaultCaps() Caps { return Caps{MaxActive: 100, MaxPerKind: 30, RecentDays: 30} }

// Effect says how a rule mattered once.
type Effect string

// The effects that count for a score.
const (
	// Hit: it shaped a posted comment or made the judge drop one.
	Hit Effect = "hit"
	// Liked and Disliked: a reaction or a reply to a comment that it shaped.
	Liked    Effect = "liked"
	Disliked Effect = "disliked"
)

// Use is one time that a rule mattered, as the ledger has it.
type Use struct {
	Rule   string
	Effect Effect
	At     time.Time
}

// History is what scores are computed from. Nothing of it is kept with a rule.
type History struct {
	Uses []Use
	// Reviews are the times of the reviews, in any order.
	Reviews []time.Time
	// Points is the expertise of a rule's teachers in its scope, the best
	// one's, by rule id. See package expertise.
	Points map[string]int
}

// The window of a score: what is among the last reviews or younger than this
// counts, whichever reaches further back. So a quiet repository does not forget
// its rules, and a busy one does not forget them within a day.
const (
	windowReviews = 50
	windowDays    = 180
	// pointsPerScore is how many points of expertise are worth one hit.
	pointsPerScore = 50
)

// Stat is what became of one rule.
type Stat struct {
	// Score is hits and likes, less two for each dislike, plus one for every
	// 50 points of its teacher, within the window.
	Score int `json:"score"`
	// Hits counts hits of all time, for staleness; Recent those within the
	// window.
	Hits   int `json:"hits"`
	Recent int `json:"recent"`
}

// Stats returns the numbers of every rule of the pool, by id.
func (p *Pool) Stats(h History, now time.Time) map[string]Stat {
	since := h.since(now)
	stats := make(map[string]Stat, len(p.rules))
	for _, r := range p.rules {
		stats[r.ID] = Stat{Score: max(0, h.Points[r.ID]) / pointsPerScore}
	}
	for _, u := range h.Uses {
		s, ok := stats[u.Rule]
		if !ok {
			continue
		}
		recent := !u.At.Before(since) && !u.At.After(now)
		switch {
		case u.Effect == Hit:
			s.Hits++
			if recent {
				s.Recent++
				s.Score++
			}
		case u.Effect == Liked && recent:
			s.Score++
		case u.Effect == Disliked && recent:
			s.Score -= 2
		}
		stats[u.Rule] = s
	}
	return stats
}

// since is where the window begins.
func (h History) since(now time.Time) time.Time {
	since := now.AddDate(0, 0, -windowDays)
	reviews := slices.SortedFunc(slices.Values(h.Reviews), func(a, b time.Time) int { return b.Compare(a) })
	if len(reviews) > 0 {
		if last := reviews[min(len(reviews), windowReviews)-1]; last.Before(since) {
			return last
		}
	}
	return since
}

// Fit returns the active rules that are in view, and those for which the pool is
// too small, both by id. The lowest score goes first; among equals the rule that
// was taught longer ago, then the later id. A rule that was taught within
// RecentDays never goes: where more rules are new than the pool holds, all of
// them are in view, and the budget of the index bounds the prompt.
func (p *Pool) Fit(caps Caps, stats map[string]Stat, now time.Time) (view, sleep []Rule) {
	ranked := p.Active(now)
	recent := DateOf(now).Plus(-caps.RecentDays)
	isRecent := func(r Rule) bool { return r.Taught() > recent }
	slices.SortStableFunc(ranked, func(a, b Rule) int {
		if x, y := isRecent(a), isRecent(b); x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Or(
			cmp.Compare(stats[b.ID].Score, stats[a.ID].Score),
			cmp.Compare(b.Taught(), a.Taught()),
			cmp.Compare(a.ID, b.ID),
		)
	})
	kinds := map[Kind]int{}
	for _, r := range ranked {
		if !isRecent(r) && (len(view) >= caps.MaxActive || kinds[r.Kind] >= caps.MaxPerKind) {
			sleep = append(sleep, r)
			continue
		}
		kinds[r.Kind]++
		view = append(view, r)
	}
	slices.SortFunc(view, byID)
	slices.SortFunc(sleep, byID)
	return view, sleep
}

// Unused returns the rules in view that nobody taught and nothing hit for some
// days: people may want to disable them.
func (p *Pool) Unused(h History, days int, now time.Time) []Rule {
	since := DateOf(now).Plus(-days)
	last := map[string]Date{}
	for _, u := range h.Uses {
		if u.Effect == Hit {
			last[u.Rule] = max(last[u.Rule], DateOf(u.At))
		}
	}
	var unused []Rule
	for _, r := range p.Active(now) {
		if max(last[r.ID], r.Taught()) < since {
			unused = append(unused, r)
		}
	}
	return unused
}
