package review

import (
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

// deadline is the reason of a batch that the run had no time for. The other
// reasons without an answer are model.Failure.
const deadline = "deadline"

// notCollected is the reason of a batch that no machine has reviewed.
const notCollected = "not_collected"

// explainReason says the reason of an unreviewed batch as people read it: what happened,
// which stands at each file, and what to do, which is said once. The ledger keeps
// the word.
func explainReason(reason string) (happened, todo string) {
	sentence := model.Failure(reason).Sentence()
	switch reason {
	case deadline:
		sentence = "the run's time was over; run it again: what was reviewed is not asked for again"
	case notCollected:
		sentence = "no machine finished its batch; run the job of that batch again, and collect again"
	}
	happened, todo, _ = strings.Cut(sentence, "; ")
	return happened, todo
}
