package finding

import (
	"regexp"
	"strings"
)

// Shielded reports whether a finding is one that no rule, no reply and no drop
// by a model may hide: it concerns security, a crash, lost data or a secret, or
// it is of high or critical severity. The texts are everything that describes
// it: claim, detail, another reviewer's label.
//
// The label and the words are joined by "or", so that one wrong label cannot
// take the shield away. It errs on the side of showing a comment too many.
func Shielded(category string, severity Severity, texts ...string) bool {
	if severity.Rank() >= High.Rank() || shieldedCategories[Label(category)] {
		return true
	}
	for _, t := range texts {
		if weaknessID.MatchString(t) || shieldedCategories[Label(t)] || hasShieldedWord(t) {
			return true
		}
	}
	return false
}

// Label writes "Data_Loss", "data loss" and "data-loss" alike, as "data-loss".
func Label(category string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(category), func(r rune) bool {
		return r == '-' || r == '_' || r == ' ' || r == '/'
	}), "-")
}

var shieldedCategories = map[string]bool{
	"security": true, "vulnerability": true, "crash": true, "panic": true,
	"data-loss": true, "dataloss": true, "data-corruption": true,
	"secret": true, "secrets": true, "credential": true, "credentials": true,
	"authentication": true, "authorization": true, "injection": true,
	"memory-safety": true, "privacy": true,
}

// weaknessID finds identifiers of the public catalogues of weaknesses
// (https://cwe.mitre.org, https://www.cve.org).
var weaknessID = regexp.MustCompile(`(?i)\b(?:CWE-[0-9]{1,5}|CVE-[0-9]{4}-[0-9]{4,7}|GHSA(?:-[a-z0-9]{4}){3})\b`)

// shieldedWord matches text in the normal form of Normalize: lower case, words
// one blank apart, no dashes.
var shieldedWord = regexp.MustCompile(`(?:^|[^a-z0-9])(?:` + strings.Join([]string{
	// security
	`security`, `vulnerab\w+`, `exploit\w*`, `attackers?`, `malicious\w*`,
	`(?:sql|command|code|shell|header|template|ldap|log|xpath|script|prompt) injection`,
	`inject(?:s|ed)? (?:sql|commands?|code|shell)`,
	`xss`, `cross site`, `csrf`, `ssrf`, `xxe`, `rce`, `idor`, `toctou`,
	`(?:remote|arbitrary) code execution`, `arbitrary (?:code|commands?|files?)`,
	`(?:path|directory) traversal`, `zip slip`, `open redirect`, `prototype pollution`,
	`(?:bypass\w*|missing|without|no|skips?|lacks?|broken) (?:the )?(?:auth|authn|authz|authentication|authorization|permission|access control|tenant|ownership)(?: checks?)?`,
	`unauthenticated`, `unauthorized`, `(?:auth|authentication|authorization) bypass`,
	`privilege escalation`, `escalat\w+ privileges?`, `cross tenant`,
	`(?:insecure|unsafe|untrusted) deserializ\w+`, `deserializ\w+ (?:of )?untrusted`,
	`timing (?:attack|side channel|leak)`, `constant time`, `side channel`,
	`weak (?:hash|cipher|crypto\w*|random\w*)`, `insecure random\w*`, `predictable (?:token|id|secret)s?`,
	`(?:certificate|tls|ssl) (?:verification|validation)`, `insecureskipverify`,
	`denial of service`, `redos`, `unsanitized`, `session (?:fixation|hijack\w*)`,
	// secrets
	`secrets?`, `credentials?`, `passwords?`, `api keys?`, `private keys?`, `access tokens?`,
	`hard ?coded (?:key|token)s?`, `(?:leak\w*|expos\w+|logs?|logged|logging|prints?) (?:\w+ ){0,3}(?:token|key|session|cookie|pii)s?`,
	// crashes
	`crash\w*`, `panics?`, `panicked`, `panicking`, `segfaults?`, `segmentation fault`, `abort(?:s|ed)? the process`,
	`(?:nil|null) (?:pointer|dereference|reference)\w*`, `nullpointerexception`, `dereferenc\w+ (?:a )?(?:nil|null|none)`,
	`use after free`, `double free`, `out of bounds`, `ind(?:ex|exes|ices) (?:\w+ ){0,3}out of range`,
	`(?:buffer|stack|heap|integer) (?:over|under)(?:flow|run|read|write)s?`, `memory corruption`,
	`out of memory`, `oom`, `deadlocks?`, `infinite (?:loop|recursion)`, `uncaught exception`, `unhandled (?:exception|rejection)`,
	`data races?`, `divi(?:de|sion) by zero`,
	// lost data
	`data loss`, `los(?:e|es|ing|t) (?:\w+ ){0,2}(?:data|writes?|updates?|records?|messages?|money)`,
	`corrupt\w*`, `overwrit\w+ (?:\w+ ){0,2}(?:data|files?|records?|rows?)`, `silently (?:drop|discard|delete|truncat)\w*`,
	`deletes? (?:all|every|the wrong)`, `double charg\w+`,
}, "|") + `)(?:$|[^a-z0-9])`)

func hasShieldedWord(text string) bool {
	plain := strings.ReplaceAll(strings.ToLower(Normalize(text)), "`", " ")
	return shieldedWord.MatchString(strings.Join(strings.Fields(plain), " "))
}
