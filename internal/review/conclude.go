package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/projection"
)

// concludeGate ends a run of tier 0 alone.
func (j *job) concludeGate() {
	j.report.Conclusion = projection.Passed
	if reason := gateReason(j.report.Checks); reason != "" {
		j.report.Conclusion, j.report.Reason = projection.Failed, reason
	}
}

// conclude says how the run ended. Only validators make it fail; green means
// that every file was reviewed or is listed with the reason why it has not to
// be.
func (j *job) conclude() {
	j.report.Memory = j.memoryChanges()
	j.reportBatches()
	for _, c := range j.coverage {
		j.report.Coverage = append(j.report.Coverage, c)
	}
	slices.SortFunc(j.report.Coverage, func(a, b projection.Coverage) int { return strings.Compare(a.Path, b.Path) })
	j.report.PromptTokens, j.report.CompletionTokens = j.budget.used.Prompt, j.budget.used.Completion
	j.report.CachedTokens, j.report.USD = j.budget.used.Cached, j.budget.usd
	if j.budget.requests > 0 {
		j.report.Model = j.cfg.Model.Name
	}

	if len(j.results) > 0 {
		j.alert()
	}
	j.concludeGate()
	if j.report.Conclusion == projection.Failed {
		return
	}
	var unreviewed []projection.Coverage
	reviewed := 0
	for _, c := range j.report.Coverage {
		switch c.State {
		case projection.Unreviewed:
			unreviewed = append(unreviewed, c)
		case projection.Reviewed, projection.Reused:
			reviewed++
		}
	}
	switch {
	case len(unreviewed) == 0:
	case reviewed == 0 && !j.answered():
		j.report.Conclusion, j.report.Reason = projection.Skipped, cmp.Or(j.noModel(), unreviewed[0].Reason)
	default:
		j.report.Conclusion = projection.Partial
		j.report.Reason = fmt.Sprintf("%s not reviewed (%s)", plural(len(unreviewed), "file"), unreviewed[0].Reason)
	}
}

// answered reports whether a reviewer read any batch to the end.
func (j *job) answered() bool {
	return slices.ContainsFunc(j.results, func(r *result) bool { return !r.unreviewed() })
}

// recentBatches is how many batches the alerts look back on.
const recentBatches = 200

// alert notes when the gate sends too much back, or lets too much through, in
// this run and the ones before.
func (j *job) alert() {
	var gates []string
	for _, e := range append(slices.Clone(j.past), j.events...) {
		if e.Reviewed != nil {
			gates = append(gates, e.Reviewed.Gate)
		}
	}
	var s gate.Shares
	for _, g := range gates[max(0, len(gates)-recentBatches):] {
		s.Add(g)
	}
	for _, a := range gate.Alerts(s) {
		j.note("%s", a)
	}
}
