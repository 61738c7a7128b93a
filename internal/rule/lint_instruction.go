package rule

import (
	"regexp"
	"strings"
)

// instruction returns the part of a text that speaks to the reviewer instead of
// about code, "" when there is none. The patterns are matched against plain
// text. A rule that is about something else and trips over one of them can be
// put in other words; one that gets through can still hide nothing that MayHide
// does not allow.
func instruction(text string) string {
	return strings.TrimSpace(instructions.FindString(plain(text)))
}

var instructions = regexp.MustCompile(`\b(?:` + strings.Join([]string{
	// Overrule what was said before.
	`(?:ignor\w+|disregard\w*|forget\w*|overrid\w+|bypass\w*) (?:(?:all|any|every|the|these|those|your|previous|prior|earlier|above|other|existing|of) ){1,4}(?:instructions?|prompts?|guidelines?|directions?|system messages?)`,
	`(?:ignore|disregard|forget|override|bypass) (?:all|any|every|your|previous|prior|earlier|other|existing) (?:\w+ )?(?:rules?|polic(?:y|ies)|checkers?|validators?)`,
	`(?:ignore|disregard|drop|hide|suppress|silence|dismiss) (?:all|any|every)(?: \w+){0,3} (?:findings?|comments?|issues?|warnings?|problems?|defects?|bugs?)`,
	`silence (?:\w+ ){0,2}severity`, `(?:new|updated|real|actual) instructions?`, `system prompt`, `developer mode`, `jailbreak`,
	// Give the reviewer a part.
	`you are (?:now|an?|the|no longer)`, `you (?:must|should|will|can|may) (?:now )?(?:act|approve|pretend|skip|ignore)`, `pretend (?:to be|that you|you)`,
	`as an? (?:ai|assistant|language model|reviewer)`,
	`(?:reviewers?|judge|assistant|crev|ai reviewer|review bot) (?:must|should|shall|has to|have to|may|can|will|needs to) (?:not )?(?:approve|accept|skip|ignore|pass|stop|keep|drop|report|comment|flag|say|answer|output|trust|reply|mark|treat|never|always)`,
	// Approve or let through.
	`(?:auto )?approv\w+ (?:(?:this|the|these|those|all|any|every|my|our) )?(?:\w+ )?(?:pull requests?|prs?|changes?|changesets?|commits?|diffs?|branch|everything|anything)`,
	`(?:auto )?(?:merge|accept) (?:(?:this|the|these|those|all|any|every|my|our) )?(?:pull requests?|prs?|everything|anything)`,
	`always approve`, `lgtm`, `ship it`,
	`mark (?:this|it|all|every|everything|these|findings?|code|files?)(?: \w+){0,2} (?:as )?(?:safe|reviewed|resolved|verified|fixed|clean|approved)`,
	`(?:treat|consider|regard|count) (?:\w+ ){0,4}as (?:false positives?|reviewed|approved)`,
	`(?:treat|consider|regard) (?:this|everything|all code|all files|all changes) (?:as )?(?:safe|trusted)`,
	`(?:findings?|comments?|issues?|warnings?|everything)(?: \w+){0,8} (?:are|is) (?:all )?(?:a )?false positives?`,
	`already (?:reviewed|approved|audited|verified)`,
	// Leave the review out.
	`skip\w* (?:(?:the|this|all|any|every|code|crev) ){0,2}(?:reviews?|reviewing|validators?|checkers?|findings?|judge)`, `skip (?:all|any|every) checks`,
	`(?:do not|never|stop|no need to|not need to) review(?:ing|s)?`, `(?:needs?|requires?|wants?) no (?:\w+ )?reviews?`, `(?:do|does) not need (?:\w+ ){0,2}reviews?`,
	`(?:do not|never|stop) (?:report|comment|flag|mention|warn|complain)\w*(?: on| about)? (?:anything|everything|any (?:findings?|comments?|issues?|problems?)|all|at all|findings?|comments?|issues?|problems?)`,
	`(?:do not|never|stop) (?:rais|post|show)\w* (?:any |all )?(?:findings?|comments?|issues?|problems?)`,
	`(?:turn|switch) off (?:the |all |any )?(?:code )?(?:reviews?|reviewer|gate|comments|crev|validators?)`, `disable (?:the |all |any )?(?:code )?(?:reviews?|reviewer|crev|gate|validators?|judge|comments)`,
	// Bend the answer.
	`(?:lower|reduce|downgrade) (?:the |all |every |any )*severit(?:y|ies)`,
	`(?:output|return|respond with|reply with|answer with|report) (?:no findings?|no issues?|no comments?|lgtm|(?:an? )?empty (?:findings?|report|review)|zero findings)`,
	`(?:output|respond|reply|answer|say) (?:only |with )*(?:nothing|lgtm|ok)`,
	`(?:save|remember) (?:a |the |this |new )*rules?`,
	`(?:reveal|print|send|post|leak|show) (?:your|the) (?:system )?(?:prompt|instructions?|environment|model key)`,
}, "|") + `)\b`)
