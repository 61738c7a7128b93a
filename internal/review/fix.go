package review

import (
	"strings"

	"github.com/crev-ratchet/crev/internal/checker"
)

// keepSuggestion keeps the suggestion of a claim only where it applies to the
// lines it stands on, with their line ends. One that does not is left out, with
// the reason among the evidence; the claim stands.
func (j *job) keepSuggestion(c *claim) {
	if c.Suggestion == "" {
		return
	}
	var reason string
	if c.Suggestion, reason = checker.Suggested(c.Finding, j.text(c.Path), j.redact); reason != "" {
		c.remark("A suggestion was left out: " + reason + ".")
	}
}

// remark adds a sentence to what a reader is told beside the claim.
func (c *claim) remark(sentence string) {
	c.Detail = strings.TrimSpace(c.Detail + " " + sentence)
}
