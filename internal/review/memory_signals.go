package review

import (
	"cmp"
	"slices"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

// rejections are the signals that say that a comment was not wanted. A thread
// that was resolved without a change is none: it speaks of the suggestion.
var rejections = []string{"bare_no", "disputed", "thumbs_down"}

// RuleSignals returns what the ledger holds for the distiller: noes without a
// rule, comments that people dismissed, bugs that a review missed, and what the
// judge turned down. A dismissal as an accepted risk is about one place and says
// nothing of others; so does a suggestion that was not taken over.
func RuleSignals(events []ledger.Event) []rule.Signal {
	opened := map[ledger.DefectID]*ledger.Opened{}
	for _, e := range events {
		if e.Opened != nil {
			opened[e.Defect] = e.Opened
		}
	}
	var out []rule.Signal
	for _, e := range events {
		s := rule.Signal{PR: e.PR, At: e.At, By: e.By}
		if o := opened[e.Defect]; o != nil {
			s.Category, s.Subject, s.Severity, s.Claim = o.Category, o.Subject, o.Severity, o.Claim
			s.Path = o.Locations[0].Path
		}
		switch {
		case e.Signal != nil && slices.Contains(rejections, e.Signal.Kind):
			s.Source, s.From, s.Reason = rule.UserReject, e.Signal.From, e.Signal.Text
			if s.Category == "" {
				s.Category, s.Path = e.Signal.Category, e.Signal.Path
			}
		case e.Dismissed != nil && (e.Dismissed.Kind == "false_positive" || e.Dismissed.Kind == "wont_fix"):
			s.Source, s.From, s.Reason, s.Writer = rule.UserReject, e.Dismissed.From, e.Dismissed.Reason, true
		case e.Missed != nil:
			s.Source, s.From, s.Claim, s.Path, s.Subject = rule.BugMissed, e.Missed.From, e.Missed.Claim, e.Missed.Location.Path, e.Missed.Location.Symbol
			s.Category = cmp.Or(e.Missed.Category, "correctness")
		case e.Suppressed != nil && e.Suppressed.Reason == "judge":
			s.Source, s.Reason = rule.Recheck, e.Suppressed.Detail
		default:
			continue
		}
		if s.Path != "" && s.Category != "" {
			out = append(out, s)
		}
	}
	return out
}
