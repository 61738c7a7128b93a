package learn

import (
	"regexp"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// toolDirected are phrases that give orders to the tool instead of saying
// something about the code. They are matched against the normal form of
// finding.Normalize. Erring on this side costs a rule that somebody words again;
// erring on the other costs every later review.
var toolDirected = regexp.MustCompile(`(?:^|[^a-z0-9])(?:` + strings.Join([]string{
	`(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|every|the|your|these|those|my) )*(?:(?:earlier|previous|prior|above|preceding|existing|former|other) )+(?:instructions?|prompts?|rules?|guidelines?|context|messages?)`,
	`(?:ignore|disregard|override|reveal|print|show|repeat) (?:(?:all|any|the|your) )*(?:system )?(?:instructions?|prompts?|guidelines?)`,
	`(?:new|updated|following) (?:system )?instructions?`, `system prompt`, `developer message`, `jailbreak`,
	`you are (?:now|an? (?:ai|assistant|helpful|language model|reviewer|bot))`, `pretend (?:to be|you)`,
	`as an? (?:ai|language model|assistant)`, `your (?:instructions|guidelines|system prompt|configuration|memory) `,
	`(?:approve|merge|pass|green ?light) (?:this|the|my|all|every) (?:pr|pull requests?|changes?|commits?|reviews?|merge)`,
	`(?:needs?|requires?|deserves?|gets?|with) no (?:code )?reviews?`, `no (?:code )?reviews? (?:is |are )?(?:needed|required|necessary)`,
	`(?:skip|stop|disable|suspend|turn off) (?:(?:all|any|every|the|your|code|crev|crev's) )*(?:reviews?|reviewing|findings|validators?|crev)`,
	`(?:do not|don't|never|stop) (?:review|reviewing|scan|scanning|analy[sz]e)`,
	`(?:findings?|comments?|reports?|defects?|issues?) (?:by|from|of) crev (?:\S+ ){0,8}(?:are|is|as) (?:all |always )?(?:false|invalid|safe|resolved|approved)`,
	`(?:mark|treat|consider|classify|flag|count|label) (?:(?:all|any|every|each|everything|the|these|those|this|its|your) )+(?:\S+ ){0,4}(?:as )?(?:safe|reviewed|resolved|approved|verified|trusted|false positives?)`,
	`(?:all|any|every|future) (?:findings?|comments?|issues?|reports?|reviews?) (?:\S+ ){0,8}(?:are|is|as) (?:false|invalid|safe|resolved|noise)`,
	`severity (?:high|critical) (?:in|for|on|everywhere)`, `silence (?:severity|everything|all|any)`,
}, "|") + `)`)

// Injection reports whether a text gives orders to the tool, such as to ignore
// its instructions or to take a file out of review.
func Injection(text string) bool {
	return toolDirected.MatchString(finding.Normalize(text)) || toolDirected.MatchString(strings.ToLower(strings.Join(strings.Fields(text), " ")))
}
