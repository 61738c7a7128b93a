package expertise

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// push adds n commits of today by an account to the file a.
func (s *tale) push(n int, days float64, login string) {
	for range n {
		s.commit(days, login+" <1+"+login+"@users.noreply.github.com>", "a")
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	var s tale
	s.push(400, 800, "retired") // many points, long ago
	s.push(40, 200, "away")     // more than new, but silent
	s.push(1, 0, "new")         // 25 points
	s.push(3, 0, "busy")        // 50
	s.push(4, 0, "close")       // 58
	s.push(15, 0, "expert")     // 100
	s.commit(0, "Work <work@corp>", "a")
	g := NewGraph(s.history(), Options{Now: epoch, Paths: []string{"a", "b"}})

	people := func(logins ...string) []Person {
		var out []Person
		for _, l := range logins {
			out = append(out, Person{Login: l, Access: Writes})
		}
		return out
	}
	gone := Person{Login: "retired", Access: BelowWrite}
	tests := map[string]struct {
		g                    *Graph
		challengers, setters []Person
		scope                func(string) bool
		want                 Decision
	}{
		"ahead by the margin":          {g, people("expert"), people("busy"), nil, Decision{Wins, KnowsBetter, nil}},
		"ahead by less":                {g, people("close"), people("busy"), nil, Decision{Ask, SettersKnowBetter, []string{"busy"}}},
		"behind":                       {g, people("new"), people("busy"), nil, Decision{Ask, SettersKnowBetter, []string{"busy"}}},
		"setters without work":         {g, people("busy"), people("busy2", "busy3"), nil, Decision{Wins, KnowsBetter, nil}},
		"the case of a login":          {g, people("Expert"), people("BUSY"), nil, Decision{Wins, KnowsBetter, nil}},
		"a side is its best":           {g, people("expert"), people("busy", "busy", "close", "new"), nil, Decision{Wins, KnowsBetter, nil}},
		"many do not outweigh one":     {g, people("new", "busy", "close"), people("expert"), nil, Decision{Ask, SettersKnowBetter, []string{"expert"}}},
		"who knows it agrees":          {g, people("new", "expert"), people("busy"), nil, Decision{Wins, KnowsBetter, nil}},
		"the setter himself":           {g, people("Busy"), people("expert", "busy"), nil, Decision{Wins, OwnRule, nil}},
		"a setter agrees":              {g, people("new", "expert"), people("expert", "busy"), nil, Decision{Wins, OwnRule, nil}},
		"nobody has worked there":      {g, people("expert"), people("busy", "new", "close"), only("b"), Decision{Ask, Unproven, []string{"busy", "new"}}},
		"the best two are asked":       {g, people("new"), people("new2", "busy", "expert", "close"), nil, Decision{Ask, SettersKnowBetter, []string{"expert", "close"}}},
		"too few against nobody":       {g, people("stranger"), people("expert"), nil, Decision{Ask, SettersKnowBetter, []string{"expert"}}},
		"setters who left":             {g, people("new"), []Person{gone}, nil, Decision{Wins, SettersLeft, nil}},
		"setters who left, a stranger": {g, people("stranger"), []Person{gone}, nil, Decision{Keep, Unproven, nil}},
		"one left, one stays":          {g, people("busy"), append(people("new"), gone), nil, Decision{Wins, KnowsBetter, nil}},
		"away still counts":            {g, people("busy"), people("away"), nil, Decision{Ask, SettersKnowBetter, []string{"away"}}},
		"away is not asked first":      {g, people("stranger"), people("away", "new"), nil, Decision{Ask, SettersKnowBetter, []string{"new"}}},
		"a rule that nobody set":       {g, people("new"), nil, nil, Decision{Wins, KnowsBetter, nil}},
		"nobody set it, a stranger":    {g, people("stranger"), nil, nil, Decision{Keep, Unproven, nil}},
		"an address the server ties":   {g, []Person{{Login: "w", Emails: []string{"WORK@corp"}}}, nil, nil, Decision{Wins, KnowsBetter, nil}},
		"seen by crev, without access": {g, people("new"), []Person{{Login: "retired", Access: BelowWrite, Seen: epoch.Add(-time.Hour)}}, nil,
			Decision{Ask, SettersKnowBetter, []string{"retired"}}},
		"no history":                     {nil, people("expert"), people("busy"), nil, Decision{Ask, NoHistory, []string{"busy"}}},
		"no history, the setter himself": {nil, people("busy"), people("busy"), nil, Decision{Wins, OwnRule, nil}},
		"no history, a bot set it":       {nil, people("expert"), people("x[bot]"), nil, Decision{Keep, NoHistory, nil}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.scope == nil {
				tt.scope = only("a")
			}
			got := tt.g.Decide(Dispute{Scope: tt.scope, Challengers: tt.challengers, Setters: tt.setters})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBonus(t *testing.T) {
	t.Parallel()
	var s tale
	s.push(15, 0, "expert")
	g := s.graph("a")
	for login, want := range map[string]int{"expert": 2, "stranger": 0} {
		if got := g.Bonus(Person{Login: login}, everything); got != want {
			t.Errorf("Bonus(%s) = %d, want %d", login, got, want)
		}
	}
	if got := (*Graph)(nil).Bonus(Person{Login: "expert"}, everything); got != 0 {
		t.Errorf("Bonus without a history = %d, want 0", got)
	}
}

// An equal full name ranks, and decides nothing: anybody can take one.
func TestNamesDecideNothing(t *testing.T) {
	t.Parallel()
	var s tale
	for range 15 {
		s.commit(0, "Ann Ames <ann@corp>", "a")
	}
	s.commit(1, "Ann Ames <1+mallory@users.noreply.github.com>", "b")
	s.commit(0, "Bo <2+bo@users.noreply.github.com>", "a")
	g := s.graph("a", "b")
	if got := table(g.Rank(only("a"))); got[0] != "Ann Ames 100" {
		t.Errorf("Rank = %q", got)
	}
	got := g.Decide(Dispute{Scope: only("a"), Challengers: []Person{{Login: "mallory"}}, Setters: []Person{{Login: "bo"}}})
	if got.Outcome != Ask {
		t.Errorf("Decide for somebody with another's name = %+v, want Ask", got)
	}
}
