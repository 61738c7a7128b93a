package review

import (
	"strings"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/session"
)

// reportBatches says what became of every batch.
func (j *job) reportBatches() {
	if reused := j.cut.Reused; len(reused.Paths) > 0 {
		j.report.Batches = append(j.report.Batches, projection.Batch{
			ID: batch.ReusedID, Paths: reused.Paths, Gate: string(session.ReusedGate), Findings: reused.Reviews})
	}
	if len(j.results) == 0 {
		// The headline says what to do about it; a batch needs the reason alone.
		reason, _, _ := strings.Cut(j.noModel(), ";")
		for _, b := range j.cut.Batches {
			j.report.Batches = append(j.report.Batches, projection.Batch{
				ID: b.ID, Paths: b.Paths(), Lines: b.Lines(), Gate: string(session.Unreviewed), Reason: reason})
		}
	}
	for _, r := range j.results {
		out := projection.Batch{
			ID: r.batch.ID, Paths: r.batch.Paths(), Lines: r.batch.Lines(), Gate: string(r.state.Gate), Reason: r.reason(),
			Tries: r.state.Tries, Findings: len(r.claims),
			PromptTokens: r.usage.Prompt, CompletionTokens: r.usage.Completion,
		}
		if r.unreviewed() {
			out.Reason, _ = explainReason(r.state.Reason)
		}
		j.report.Batches = append(j.report.Batches, out)
	}
}
