package validator

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sync"
)

// Secret is a credential found in a text.
type Secret struct {
	// Kind says what it is, in words.
	Kind string
	// Start and End are the byte offsets of the secret itself.
	Start, End int
}

// Secrets returns the credentials in a text, in order and without overlap. It
// knows the shapes that their issuers publish, so it misses a bare password and
// seldom errs. Whoever shows or sends the text replaces them.
func Secrets(text []byte) []Secret {
	var (
		found []Secret
		lower []byte
	)
	for _, rule := range secretRules() {
		searched, words := text, rule.e.literals
		if rule.words != nil {
			if lower == nil {
				lower = asciiLower(text)
			}
			searched, words = lower, rule.words
		}
		// No shape spans lines, and few lines hold one of its words.
		for _, at := range linesWith(searched, words) {
			for _, m := range rule.e.re.FindAllSubmatchIndex(text[at[0]:at[1]], -1) {
				start, end := m[0], m[1]
				if len(m) > 2 && m[2] >= 0 {
					start, end = m[2], m[3]
				}
				start, end = start+at[0], end+at[0]
				if rule.real(text[start:end]) {
					found = append(found, Secret{rule.kind, start, end})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Secret) int { return a.Start - b.Start })
	kept := found[:0]
	for _, s := range found {
		if len(kept) == 0 || s.Start >= kept[len(kept)-1].End {
			kept = append(kept, s)
		}
	}
	return kept
}

// secretsInDiff finds credentials on changed lines. The message never holds the
// secret: it goes to places that are more public than the code.
func secretsInDiff(f *file, in Input) []Failure {
	var fails []Failure
	for _, s := range Secrets(f.data) {
		start, end := f.line(s.Start), f.line(s.End-1)
		if !in.changed(f.path, start, end) {
			continue
		}
		fails = append(fails, Failure{
			Path: f.path, Line: start, Column: f.column(s.Start),
			Message: fmt.Sprintf("%s in the code; take it out and revoke it", s.Kind),
		})
	}
	return fails
}

// secretRule is the shape of one kind of credential. The first group, where
// there is one, is the secret.
type secretRule struct {
	kind string
	e    expression
	// words replace the expression's literals where it ignores case; they
	// are in lower case.
	words []string
	// bits is the least Shannon entropy per character; 0 asks for none.
	bits float64
}

var secretRules = sync.OnceValue(func() []secretRule {
	rules := make([]secretRule, len(secretShapes))
	for i, s := range secretShapes {
		e, err := compile(s.re)
		if err != nil {
			panic(err)
		}
		rules[i] = secretRule{kind: s.kind, e: e, bits: s.bits, words: s.words}
		if e.literals == nil && s.words == nil {
			panic("secret shape " + s.kind + " has no word to look for")
		}
	}
	return rules
})

// secretShapes are the formats that the issuers document or that their tokens
// show.
var secretShapes = []struct {
	kind  string
	re    string
	bits  float64
	words []string
}{
	{"private key", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`, 0, nil},
	{"age secret key", `\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b`, 0, nil},
	{"AWS access key", `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`, 3, nil},
	{"AWS secret key", `(?i:secret[\w.\-]{0,20})["']?\s*(?::|=>?|,)\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`, 4, []string{"aws"}},
	{"Azure storage key", `AccountKey=([A-Za-z0-9+/]{86}==)`, 4, nil},
	{"Anthropic key", `\bsk-ant-[a-z0-9]+-[A-Za-z0-9_\-]{60,}`, 3.5, nil},
	{"Atlassian token", `\bATATT3[A-Za-z0-9_\-=]{180,}`, 3.5, nil},
	{"Bitbucket token", `\bATBB[A-Za-z0-9]{32}\b`, 3, nil},
	{"Databricks token", `\bdapi[a-f0-9]{32}\b`, 3, nil},
	{"DigitalOcean token", `\bdo[op]_v1_[a-f0-9]{64}\b`, 3, nil},
	{"Discord webhook", `https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_\-]{60,}`, 3, nil},
	{"Docker token", `\bdckr_pat_[A-Za-z0-9_\-]{27}`, 3, nil},
	{"Doppler token", `\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{40,}`, 3, nil},
	{"Fly.io token", `\bFlyV1 fm[12][a-z]?_[A-Za-z0-9+/=]{80,}`, 3.5, nil},
	{"GitHub token", `\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36,255}\b`, 3, nil},
	{"GitHub token", `\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b`, 3, nil},
	{"GitLab token", `\bgl(?:pat|dt|rt|ptt|cbt|oas|soat|ft)-[A-Za-z0-9_\-]{20,}`, 3, nil},
	{"Google key", `\bAIza[A-Za-z0-9_\-]{35}`, 3, nil},
	{"Google OAuth secret", `\bGOCSPX-[A-Za-z0-9_\-]{28}`, 3, nil},
	{"Grafana token", `\bgl(?:sa_[A-Za-z0-9]{32}_[a-f0-9]{8}|c_[A-Za-z0-9+/=]{60,})`, 3, nil},
	{"HashiCorp Terraform token", `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,}`, 3.5, nil},
	{"HashiCorp Vault token", `\bhv[sbr]\.[A-Za-z0-9_\-]{24,}`, 3, nil},
	{"Heroku key", `\bHRKU-AA[A-Za-z0-9_\-]{58}\b`, 3, nil},
	{"Hugging Face token", `\b(?:hf|api_org)_[A-Za-z]{34}\b`, 3, nil},
	{"Linear key", `\blin_(?:api|oauth)_[A-Za-z0-9]{40,}\b`, 3, nil},
	{"Mailgun key", `\bkey-[a-f0-9]{32}\b`, 3, nil},
	{"Mailchimp key", `\b[a-f0-9]{32}-us[0-9]{1,2}\b`, 3, nil},
	{"New Relic key", `\bNRAK-[A-Z0-9]{27}\b`, 3, nil},
	{"Notion token", `\bntn_[A-Za-z0-9]{40,}\b`, 3, nil},
	{"npm token", `\bnpm_[A-Za-z0-9]{36}\b`, 3, nil},
	{"OpenAI key", `\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_\-]{20,}T3BlbkFJ[A-Za-z0-9_\-]{20,}`, 3.5, nil},
	{"PyPI token", `\bpypi-AgE[A-Za-z0-9_\-]{50,}`, 3.5, nil},
	{"RubyGems key", `\brubygems_[a-f0-9]{48}\b`, 3, nil},
	{"SendGrid key", `\bSG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}`, 3.5, nil},
	{"Sentry token", `\bsntry[su]_[A-Za-z0-9+/=_\-]{40,}`, 3, nil},
	{"Shopify token", `\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b`, 3, nil},
	{"Slack token", `\bxox[abeoprs]-[A-Za-z0-9\-]{20,}`, 3, nil},
	{"Slack app token", `\bxapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{32,}`, 3, nil},
	{"Slack webhook", `https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,}/[A-Za-z0-9/]{20,}`, 3, nil},
	{"Square token", `\b(?:EAAA|sq0csp-|sq0atp-)[A-Za-z0-9_\-]{40,}`, 3.5, nil},
	{"Stripe key", `\b(?:sk|rk)_live_[A-Za-z0-9]{20,}\b`, 3, nil},
	{"Stripe webhook secret", `\bwhsec_[A-Za-z0-9+/]{32,}`, 3, nil},
	{"Supabase key", `\bsbp_[a-f0-9]{40}\b`, 3, nil},
	{"Telegram token", `\b[0-9]{8,10}:AA[A-Za-z0-9_\-]{33}\b`, 3.5, nil},
	{"Twilio key", `\bSK[a-f0-9]{32}\b`, 3, nil},
	{"password in a URL", `\b(?:https?|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|rediss|amqps?|ftp)://[^\s:/@"'<>]{1,64}:([^\s:/@"'<>{}$]{12,128})@[A-Za-z0-9.\-]+`, 3, nil},
	{"password in the code", `(?i:password|passwd|secret|api_?key|auth_?token|access_?token)["']?\s{0,5}(?::=?|=>?)\s{0,5}["']([A-Za-z0-9+/_\-=.~!@#%^&*]{20,128})["']`, 4.2, []string{"password", "passwd", "secret", "apikey", "api_key", "authtoken", "auth_token", "accesstoken", "access_token"}},
}

// placeholders are words that nobody's secret contains by chance.
var placeholders = regexp.MustCompile(`(?i)example|placeholder|change_?me|dummy|redacted|your[_-]|xxxxx|\*\*\*\*|1234567890|abcdefghij|process\.env|not[_-]?a[_-]?secret|fake`)

func (r secretRule) real(secret []byte) bool {
	return !placeholders.Match(secret) && entropy(secret) >= r.bits
}

// entropy is Shannon's, in bits for each byte of the text itself.
func entropy(text []byte) float64 {
	var count [256]int
	for _, c := range text {
		count[c]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// linesWith returns the start and end of every line that holds one of the words,
// in order.
func linesWith(text []byte, words []string) [][2]int {
	var lines [][2]int
	for _, w := range words {
		for at := 0; at < len(text); {
			i := bytes.Index(text[at:], []byte(w))
			if i < 0 {
				break
			}
			start := bytes.LastIndexByte(text[:at+i], '\n') + 1
			end := len(text)
			if n := bytes.IndexByte(text[at+i:], '\n'); n >= 0 {
				end = at + i + n
			}
			lines = append(lines, [2]int{start, end})
			at = end
		}
	}
	slices.SortFunc(lines, func(a, b [2]int) int { return a[0] - b[0] })
	return slices.Compact(lines)
}

// asciiLower keeps every offset, which bytes.ToLower does not.
func asciiLower(text []byte) []byte {
	lower := slices.Clone(text)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}
