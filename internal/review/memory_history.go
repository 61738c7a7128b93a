package review

import (
	"fmt"
	"time"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

// RuleHistory returns what the ledger says of the rules' use, for their scores.
// The pushes of one pull request hit a rule about one defect once, as the runs
// of one pull request count once everywhere. Nothing of it is stored.
func RuleHistory(events []ledger.Event) rule.History {
	h := rule.History{}
	hit := map[string]bool{}
	reviewed := map[string]bool{}
	latest := map[string]int{} // by reactionKey, the index of the latest reaction
	for i, e := range events {
		switch {
		case e.RuleHit != nil:
			key := fmt.Sprintf("%s %d %s", e.RuleHit.Rule, e.PR, e.Defect)
			if e.PR == 0 {
				key += " " + e.At.Format(time.DateOnly)
			}
			if !hit[key] {
				hit[key] = true
				h.Uses = append(h.Uses, rule.Use{Rule: e.RuleHit.Rule, Effect: rule.Hit, At: e.At})
			}
		case e.Learned != nil && e.Learned.Outcome == "reinforce" && e.Learned.Rule != "":
			h.Uses = append(h.Uses, rule.Use{Rule: e.Learned.Rule, Effect: rule.Liked, At: e.At})
		case e.Reaction != nil && e.Reaction.Rule != "":
			key := reactionKey(e.Reaction)
			if at, ok := latest[key]; !ok || !e.At.Before(events[at].At) {
				latest[key] = i
			}
		case e.Reviewed != nil && !reviewed[e.Run]:
			reviewed[e.Run] = true
			h.Reviews = append(h.Reviews, e.At)
		}
	}
	for i, e := range events {
		if e.Reaction == nil || latest[reactionKey(e.Reaction)] != i || e.Reaction.Rule == "" {
			continue
		}
		effect, ok := reactionEffects[e.Reaction.Content]
		for range e.Reaction.Count {
			if ok {
				h.Uses = append(h.Uses, rule.Use{Rule: e.Reaction.Rule, Effect: effect, At: e.At})
			}
		}
	}
	return h
}

// reactionKey tells counts apart: several rules may have shaped one comment.
func reactionKey(r *ledger.Reaction) string {
	return fmt.Sprintf("%d %s %s", r.Comment, r.Content, r.Rule)
}

// reactionEffects are the reactions that say yes or no, as GitHub names them in
// its REST and its GraphQL interface. Laughter and eyes say neither.
var reactionEffects = map[string]rule.Effect{
	"+1": rule.Liked, "THUMBS_UP": rule.Liked, "heart": rule.Liked, "HEART": rule.Liked, "hooray": rule.Liked, "HOORAY": rule.Liked,
	"rocket": rule.Liked, "ROCKET": rule.Liked,
	"-1": rule.Disliked, "THUMBS_DOWN": rule.Disliked, "confused": rule.Disliked, "CONFUSED": rule.Disliked,
}
