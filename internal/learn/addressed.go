package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// reviewerWords are in every text that reviewerDirected matches. Looking for them
// first spares nearly all lines of a change the expression.
var reviewerWords = []string{"instruction", "prompt", "guideline", "review", "audited", "approve", "findings", "merge", "accept th",
	"do not", "don't", "never", "skip", "as safe", "as resolved", "as verified", "as trusted", "false positive"}

// reviewerDirected are phrases in code that speak to whoever reviews it. The list
// is shorter than toolDirected: "system prompt" and "do not scan" are ordinary
// words in code, and orders only in a reply.
var reviewerDirected = regexp.MustCompile(`(?:^|[^a-z0-9])(?:` + strings.Join([]string{
	`(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|every|the|your|these|those|my|of) )*(?:(?:earlier|previous|prior|above|preceding|existing|former|other) )+(?:instructions?|prompts?|guidelines?)`,
	`(?:ignore|disregard|override|reveal|print|repeat) your (?:system )?(?:instructions?|prompts?|guidelines?)`,
	`already (?:been )?(?:\S+ )?(?:reviewed|audited|approved)`,
	`(?:reviewed|audited|approved) (?:already|before|previously|and (?:approved|safe|correct))`,
	`(?:needs?|requires?|deserves?) no (?:\S+ )?reviews?`, `no (?:\S+ )?review (?:is )?(?:needed|required|necessary)`,
	`(?:mark|treat|consider|classify|flag|report|rate|label) (?:(?:all|any|every|everything|the|these|those|this|it|its|your|code|file|change|function|diff|pr|below|above|of) )*as (?:safe|reviewed|resolved|approved|verified|trusted|(?:a )?false positives?)`,
	`(?:do not|don't|never|please skip|skip) (?:review|reviewing|the review of|flag|report|comment on|mention) (?:(?:any|all|the|this|these|following|further) )*(?:code|files?|functions?|changes?|lines?|blocks?|diff|findings?|issues?|problems?|vulnerabilit(?:y|ies)) (?:in|of|to|below|above|as)`,
	`(?:approve|merge|accept) (?:this|the|my) (?:pr|pull request|merge request|change|diff)`,
	`(?:return|report|answer|respond|reply|output)(?: with)? (?:an empty|no|zero|an empty list of) findings`,
	`(?:ai|llm|automated|automatic|code|bot) reviewers? (?:\S+ ){0,6}(?:ignore|skip|approve|must|should|may|shall|do not|don't|please)`,
	`(?:note|message|hint|instructions?) (?:to|for) (?:(?:the|all|any|ai|llm|automated|automatic|code) )+(?:reviewers?|review(?:ing)? (?:bots?|tools?|models?|assistants?))`,
}, "|") + `)(?:$|[^a-z0-9])`)

// sentenceLines is over how many lines a sentence in a comment may run.
const sentenceLines = 3

// Addressed returns the indices of the lines where a text begins that speaks to
// its reviewer instead of its reader, such as to be taken for reviewed already.
// It says nothing about intent.
func Addressed(lines []string) []int {
	low, hint := make([]string, len(lines)), make([]bool, len(lines))
	for i, l := range lines {
		if low[i] = strings.ToLower(l); !plainASCII(l) {
			low[i] = finding.Normalize(l) // which drops what cannot be seen
		}
		hint[i] = slices.ContainsFunc(reviewerWords, func(w string) bool { return strings.Contains(low[i], w) })
	}
	var out []int
	for i := 0; i < len(lines); {
		end := sentenceFrom(low, hint, i)
		if end == 0 {
			i++
			continue
		}
		for i+1 < end && directed(low[i+1:end]) {
			i++ // it begins later
		}
		out = append(out, i)
		i = end
	}
	return out
}

// sentenceFrom returns the index after the last line of a text to the reviewer
// that begins in line i or soon after, 0 for none.
func sentenceFrom(low []string, hint []bool, i int) int {
	for end := i + 1; end <= min(len(low), i+sentenceLines); end++ {
		if slices.Contains(hint[i:end], true) && directed(low[i:end]) {
			return end
		}
	}
	return 0
}

func directed(low []string) bool {
	return reviewerDirected.MatchString(strings.Join(strings.FieldsFunc(strings.Join(low, " "), betweenWords), " "))
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// betweenWords tells what separates two words of a sentence: blanks, punctuation
// and the marks of comments.
func betweenWords(r rune) bool {
	return !(r == '\'' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r >= 0x80)
}
