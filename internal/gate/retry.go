package gate

import "strings"

// RetryPrompt is what a reviewer is told when its result was refused. It names
// what fell short and nothing that anybody wrote, so it may stand outside of
// fences. It is "" for a result that passed.
func RetryPrompt(v Verdict) string {
	if v.Passed {
		return ""
	}
	var b strings.Builder
	b.WriteString("That result was not taken:\n")
	for _, r := range v.Reasons {
		b.WriteString("- " + r + "\n")
	}
	if len(v.Faults) > 0 {
		b.WriteString("Complete the findings that are named, by their number in your list.\n")
	} else {
		b.WriteString("Read every changed line. Do not invent findings: if there are none, say so again.\n")
	}
	b.WriteString("Read the batch again from the start and answer with the complete list.")
	return b.String()
}
