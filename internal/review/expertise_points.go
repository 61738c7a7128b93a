package review

import (
	"context"
	"maps"
	"slices"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/rule"
)

// TeachersPoints returns what each rule's best teacher knows of the code that the
// rule is about, for rule.History, in whole steps of what adds to a score. It is
// computed when somebody has to choose between rules, and kept nowhere. With an
// error there are none: nobody's rule has an edge then.
func (x *Experts) TeachersPoints(ctx context.Context, rules []rule.Rule) (map[string]int, error) {
	teachers := map[string]expertise.Person{}
	for _, r := range rules {
		for _, who := range r.Teachers() {
			teachers[who] = expertise.Person{Login: who}
		}
	}
	if len(teachers) == 0 {
		return nil, nil
	}
	for _, who := range slices.Sorted(maps.Keys(teachers)) {
		one := []expertise.Person{teachers[who]}
		if err := x.ask(ctx, one); err != nil {
			return nil, err
		}
		teachers[who] = one[0]
	}
	g, err := x.Graph(ctx, x.Now.Add(-expertise.Window))
	if err != nil {
		return nil, err
	}
	points := map[string]int{}
	for _, r := range rules {
		for _, who := range r.Teachers() {
			bonus := g.Bonus(teachers[who], func(p string) bool { return r.Applies(p, r.ForAuthor) })
			points[r.ID] = max(points[r.ID], bonus*expertise.PointsPerBonus)
		}
	}
	return points, nil
}
