package review

import (
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
)

// learnedWords say what became of a rule, by the outcome of the reply.
var learnedWords = map[string]string{
	"save": "new rule", "update": "changed rule", "revive": "rule woken", "reinforce": "rule confirmed", "pending": "proposed rule",
}

// memoryChanges lists what replies on this pull request changed: rules, and the
// defects that people dismissed or took up again. Nobody has to go through the
// threads to see it.
func (j *job) memoryChanges() []projection.MemoryChange {
	var out []projection.MemoryChange
	for _, e := range ledger.Sort(j.past) {
		if e.PR != j.in.PR || e.PR == 0 {
			continue
		}
		switch {
		case e.Learned != nil && learnedWords[e.Learned.Outcome] != "" && e.Learned.Rule != "":
			out = append(out, projection.MemoryChange{What: learnedWords[e.Learned.Outcome], Subject: e.Learned.Rule, By: e.By, From: e.Learned.From})
		case e.Dismissed != nil:
			out = append(out, projection.MemoryChange{What: "dismissed", Subject: string(e.Defect), By: e.By, From: e.Dismissed.From, Reason: e.Dismissed.Reason})
		case e.Reopened != nil && e.By != "":
			out = append(out, projection.MemoryChange{What: "open again", Subject: string(e.Defect), By: e.By, Reason: e.Reopened.Reason})
		}
	}
	return out
}
