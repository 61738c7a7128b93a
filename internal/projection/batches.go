package projection

import (
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/gate"
)

// Batch is one batch of the run and what became of it.
type Batch struct {
	ID    string
	Paths []string
	// Lines is the number of diff lines, context included.
	Lines int
	// Gate is the gate's word: passed, retried, forced, reused or unreviewed.
	// Reason says why it is forced or unreviewed.
	Gate, Reason string
	// Tries counts the results that the gate judged.
	Tries int
	// Findings are the claims before anything hid one. Of a reused batch they
	// are those of the earlier review.
	Findings int
	// The tokens are of reviewers and checkers, of every try.
	PromptTokens, CompletionTokens int
}

// plain reports whether there is nothing to say about the batch beside that it
// was reviewed.
func (b Batch) plain() bool { return b.Gate == "passed" || b.Gate == "reused" }

// says is what became of the batch, on one line.
func (b Batch) says() string {
	s := "batch " + b.ID + " " + b.Gate
	if b.Tries > 1 {
		s += fmt.Sprintf(" after %d tries", b.Tries)
	}
	return s
}

// Shares count the batches by the gate's word.
func (r *Report) Shares() gate.Shares {
	var s gate.Shares
	for _, b := range r.Batches {
		s.Add(b.Gate)
	}
	return s
}

// maxPathsShown bounds the files that stand beside a batch in the summary; the
// files have a list of their own.
const maxPathsShown = 5

// writeBatches folds what a reader should know about the batches, and is silent
// where every one of them just passed.
func writeBatches(b *strings.Builder, r *Report) {
	var lines []string
	for _, x := range r.Batches {
		if x.plain() {
			continue
		}
		var paths []string
		for _, p := range x.Paths[:min(len(x.Paths), maxPathsShown)] {
			paths = append(paths, Code(p))
		}
		if n := len(x.Paths) - len(paths); n > 0 {
			paths = append(paths, fmt.Sprintf("and %d more", n))
		}
		lines = append(lines, fmt.Sprintf("- %s%s (%s)", x.says(), reason(x.Reason), strings.Join(paths, ", ")))
	}
	fold(b, "Batches: "+countBatches(r), lines)
}

// countBatches is the number of batches, and of those with something to say.
func countBatches(r *Report) string {
	s := r.Shares()
	out := fmt.Sprint(len(r.Batches))
	for _, part := range []struct {
		n    int
		what string
	}{{s.Retried, "retried"}, {s.Forced, "forced"}, {s.Unreviewed, "unreviewed"}} {
		if part.n > 0 {
			out += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return out
}

// writeTextBatches says which batches did not just pass.
func writeTextBatches(b *strings.Builder, r *Report) {
	for _, x := range r.Batches {
		if !x.plain() {
			fmt.Fprintf(b, "%s%s\n", x.says(), tail(x.Reason))
		}
	}
}
