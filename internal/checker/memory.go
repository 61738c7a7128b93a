package checker

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
)

// maxRecords is how many bytes of full records a request of memory holds. The
// index is whole; records beyond this are left to a tool.
const maxRecords = 40_000

// recall renders what the team decided: the whole index, and the records of the
// rules of one kind that apply to a file of the request.
func recall(fence string, ix rule.Index, kind rule.Kind) string {
	text := model.Fenced(fence, "index of the team's rules", ix.String())
	records := shown{fence: fence, limit: maxRecords}
	for _, r := range inReach(ix, kind) {
		records.add("record of rule "+r.ID, r.Record())
	}
	return text + records.b.String()
}

// inReach are the active rules of one kind whose scope holds a path of the
// request, in the order of the index.
func inReach(ix rule.Index, kind rule.Kind) []rule.Rule {
	var out []rule.Rule
	for _, r := range ix.Rules {
		if r.Kind == kind && r.Status == rule.Active && slices.Contains(ix.Applicable, r.ID) {
			out = append(out, r)
		}
	}
	return out
}
