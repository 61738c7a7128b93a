package finding

import (
	"math"
	"regexp"
	"slices"
	"strings"
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
// seldom errs. Whoever shows or sends the text replaces them: see Redactor.
func Secrets(text string) []Secret {
	var (
		found []Secret
		lower string
	)
	for _, s := range secretShapes() {
		if s.strict == nil {
			continue
		}
		searched := text
		if s.fold {
			if lower == "" {
				lower = asciiLower(text)
			}
			searched = lower
		}
		// No shape spans lines, and few lines hold one of its signs.
		for _, at := range linesWith(searched, s.signs) {
			for _, m := range s.strict.FindAllStringSubmatchIndex(text[at[0]:at[1]], -1) {
				start, end := m[0], m[1]
				if len(m) > 2 && m[2] >= 0 {
					start, end = m[2], m[3]
				}
				start, end = start+at[0], end+at[0]
				if s.real(text[start:end]) {
					found = append(found, Secret{s.kind, start, end})
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

// secretForm is the form of one kind of credential, as its issuer documents it or
// as the credentials show it.
type secretForm struct {
	kind string
	// signs: every text that has the form holds one of them, on the same line.
	// Looking for a word is many times faster than for an expression. Where
	// fold is set they are in lower case and case does not matter.
	signs []string
	fold  bool
	// bits is the least Shannon entropy per character of a match of re; 0 asks
	// for none.
	bits float64
	// re matches what is a credential for all that can be known; the first
	// group, where there is one, is the secret. "" is nothing.
	re string
	// loose matches what is taken out of a text that leaves the process, were
	// it a credential or not: losing a made-up key costs a reader nothing.
	loose string
}

// secretForms is the one list of them. A form without re is too often something
// harmless to fail a job.
var secretForms = []secretForm{
	{kind: "private key", signs: []string{"-----BEGIN "}, re: `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`, loose: privateKey},
	{kind: "age secret key", signs: []string{"AGE-SECRET-KEY-1"}, re: `\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b`},
	{kind: "AWS access key", signs: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, bits: 3, re: `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`, loose: `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`},
	{kind: "AWS secret key", signs: []string{"aws"}, fold: true, bits: 4, re: `(?i:secret[\w.\-]{0,20})["']?\s*(?::|=>?|,)\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`},
	{kind: "Azure storage key", signs: []string{"AccountKey="}, bits: 4, re: `AccountKey=([A-Za-z0-9+/]{86}==)`},
	{kind: "Anthropic key", signs: []string{"sk-ant-"}, bits: 3.5, re: `\bsk-ant-[a-z0-9]+-[A-Za-z0-9_\-]{60,}`},
	{kind: "Atlassian token", signs: []string{"ATATT3"}, bits: 3.5, re: `\bATATT3[A-Za-z0-9_\-=]{180,}`},
	{kind: "Bitbucket token", signs: []string{"ATBB"}, bits: 3, re: `\bATBB[A-Za-z0-9]{32}\b`},
	{kind: "Databricks token", signs: []string{"dapi"}, bits: 3, re: `\bdapi[a-f0-9]{32}\b`},
	{kind: "DigitalOcean token", signs: []string{"_v1_"}, bits: 3, re: `\bdo[op]_v1_[a-f0-9]{64}\b`},
	{kind: "Discord webhook", signs: []string{".com/api/webhooks/"}, bits: 3, re: `https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_\-]{60,}`},
	{kind: "Docker token", signs: []string{"dckr_pat_"}, bits: 3, re: `\bdckr_pat_[A-Za-z0-9_\-]{27}`},
	{kind: "Doppler token", signs: []string{"dp."}, bits: 3, re: `\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{40,}`},
	{kind: "Fly.io token", signs: []string{"FlyV1 fm"}, bits: 3.5, re: `\bFlyV1 fm[12][a-z]?_[A-Za-z0-9+/=]{80,}`},
	{kind: "GitHub token", signs: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, bits: 3, re: `\b(?:(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`, loose: `\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`},
	{kind: "GitLab token", signs: []string{"glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-", "glsoat-", "glft-"}, bits: 3, re: `\bgl(?:pat|dt|rt|ptt|cbt|oas|soat|ft)-[A-Za-z0-9_\-]{20,}`, loose: `\bglpat-[A-Za-z0-9_-]{20,}`},
	{kind: "Google key", signs: []string{"AIza"}, bits: 3, re: `\bAIza[A-Za-z0-9_\-]{35}`, loose: `\bAIza[A-Za-z0-9_-]{35}`},
	{kind: "Google OAuth secret", signs: []string{"GOCSPX-"}, bits: 3, re: `\bGOCSPX-[A-Za-z0-9_\-]{28}`},
	{kind: "Grafana token", signs: []string{"glsa_", "glc_"}, bits: 3, re: `\bgl(?:sa_[A-Za-z0-9]{32}_[a-f0-9]{8}|c_[A-Za-z0-9+/=]{60,})`},
	{kind: "HashiCorp Terraform token", signs: []string{".atlasv1."}, bits: 3.5, re: `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,}`},
	{kind: "HashiCorp Vault token", signs: []string{"hvs.", "hvb.", "hvr."}, bits: 3, re: `\bhv[sbr]\.[A-Za-z0-9_\-]{24,}`},
	{kind: "Heroku key", signs: []string{"HRKU-AA"}, bits: 3, re: `\bHRKU-AA[A-Za-z0-9_\-]{58}\b`},
	{kind: "Hugging Face token", signs: []string{"hf_", "api_org_"}, bits: 3, re: `\b(?:hf|api_org)_[A-Za-z]{34}\b`},
	{kind: "Linear key", signs: []string{"lin_"}, bits: 3, re: `\blin_(?:api|oauth)_[A-Za-z0-9]{40,}\b`},
	{kind: "Mailgun key", signs: []string{"key-"}, bits: 3, re: `\bkey-[a-f0-9]{32}\b`},
	{kind: "Mailchimp key", signs: []string{"-us"}, bits: 3, re: `\b[a-f0-9]{32}-us[0-9]{1,2}\b`},
	{kind: "New Relic key", signs: []string{"NRAK-"}, bits: 3, re: `\bNRAK-[A-Z0-9]{27}\b`},
	{kind: "Notion token", signs: []string{"ntn_"}, bits: 3, re: `\bntn_[A-Za-z0-9]{40,}\b`},
	{kind: "npm token", signs: []string{"npm_"}, bits: 3, re: `\bnpm_[A-Za-z0-9]{36}\b`, loose: `\bnpm_[A-Za-z0-9]{36}\b`},
	{kind: "OpenAI key", signs: []string{"T3BlbkFJ"}, bits: 3.5, re: `\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_\-]{20,}T3BlbkFJ[A-Za-z0-9_\-]{20,}`},
	{kind: "PyPI token", signs: []string{"pypi-AgE"}, bits: 3.5, re: `\bpypi-AgE[A-Za-z0-9_\-]{50,}`},
	{kind: "RubyGems key", signs: []string{"rubygems_"}, bits: 3, re: `\brubygems_[a-f0-9]{48}\b`},
	{kind: "SendGrid key", signs: []string{"SG."}, bits: 3.5, re: `\bSG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}`},
	{kind: "Sentry token", signs: []string{"sntrys_", "sntryu_"}, bits: 3, re: `\bsntry[su]_[A-Za-z0-9+/=_\-]{40,}`},
	{kind: "Shopify token", signs: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, bits: 3, re: `\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b`},
	{kind: "Slack token", signs: []string{"xox"}, bits: 3, re: `\bxox[abeoprs]-[A-Za-z0-9\-]{20,}`, loose: `\bxox[abeoprs]-[A-Za-z0-9-]{10,}`},
	{kind: "Slack app token", signs: []string{"xapp-"}, bits: 3, re: `\bxapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{32,}`},
	{kind: "Slack webhook", signs: []string{"https://hooks.slack.com/"}, bits: 3, re: `https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,}/[A-Za-z0-9/]{20,}`},
	{kind: "Square token", signs: []string{"EAAA", "sq0csp-", "sq0atp-"}, bits: 3.5, re: `\b(?:EAAA|sq0csp-|sq0atp-)[A-Za-z0-9_\-]{40,}`},
	{kind: "Stripe key", signs: []string{"k_live_"}, bits: 3, re: `\b(?:sk|rk)_live_[A-Za-z0-9]{20,}\b`, loose: `\b[rs]k_live_[A-Za-z0-9]{20,}`},
	{kind: "Stripe webhook secret", signs: []string{"whsec_"}, bits: 3, re: `\bwhsec_[A-Za-z0-9+/]{32,}`},
	{kind: "Supabase key", signs: []string{"sbp_"}, bits: 3, re: `\bsbp_[a-f0-9]{40}\b`},
	{kind: "Telegram token", signs: []string{":AA"}, bits: 3.5, re: `\b[0-9]{8,10}:AA[A-Za-z0-9_\-]{33}\b`},
	{kind: "Twilio key", signs: []string{"SK"}, bits: 3, re: `\bSK[a-f0-9]{32}\b`},
	{kind: "password in a URL", signs: []string{"://"}, bits: 3, re: `\b(?:https?|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|rediss|amqps?|ftp)://[^\s:/@"'<>]{1,64}:([^\s:/@"'<>{}$]{12,128})@[A-Za-z0-9.\-]+`},
	{kind: "password in the code", signs: []string{"password", "passwd", "secret", "apikey", "api_key", "authtoken", "auth_token", "accesstoken", "access_token"}, fold: true, bits: 4.2, re: `(?i:password|passwd|secret|api_?key|auth_?token|access_?token)["']?\s{0,5}(?::=?|=>?)\s{0,5}["']([A-Za-z0-9+/_\-=.~!@#%^&*]{20,128})["']`},
	{kind: "model key", signs: []string{"sk-"}, loose: `\bsk-[A-Za-z0-9_-]{20,}`},
	{kind: "web token", signs: []string{"eyJ"}, loose: `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`},
}

// privateKey is the first line of a private key and what follows of its body:
// runs of base64, with whatever stands between two of them in a string literal or
// in a listing with line numbers. Code is no such run, so a line that only looks
// like the beginning of a key hides nothing that follows it.
const (
	privateKey = `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----` +
		`(?:` + keyGap + `(?:(?:Proc-Type|DEK-Info|Version|Comment):[^\n]*|[A-Za-z0-9+/=]{12,}))*` +
		`(?:` + keyGap + `[A-Za-z0-9+/=]{0,64}` + keyGap + `-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?`
	keyGap = `[^A-Za-z0-9+/=]{0,40}(?:\d{1,6}[^A-Za-z0-9+/=]{1,40})?`
)

// secretShape is a secretForm to search with. Either expression may be nil.
type secretShape struct {
	secretForm
	strict, wide *regexp.Regexp
}

var secretShapes = sync.OnceValue(func() []secretShape {
	compile := func(re string) *regexp.Regexp {
		if re == "" {
			return nil
		}
		return regexp.MustCompile(re)
	}
	shapes := make([]secretShape, len(secretForms))
	for i, f := range secretForms {
		shapes[i] = secretShape{f, compile(f.re), compile(f.loose)}
	}
	return shapes
})

// placeholders are words that nobody's secret contains by chance.
var placeholders = regexp.MustCompile(`(?i)example|placeholder|change_?me|dummy|redacted|your[_-]|xxxxx|\*\*\*\*|1234567890|abcdefghij|process\.env|not[_-]?a[_-]?secret|fake`)

func (f secretForm) real(secret string) bool {
	return !placeholders.MatchString(secret) && entropy(secret) >= f.bits
}

// entropy is Shannon's, in bits for each byte of the text itself.
func entropy(text string) float64 {
	var count [256]int
	for i := range len(text) {
		count[text[i]]++
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
func linesWith(text string, words []string) [][2]int {
	var lines [][2]int
	for _, w := range words {
		for at := 0; at < len(text); {
			i := strings.Index(text[at:], w)
			if i < 0 {
				break
			}
			start := strings.LastIndexByte(text[:at+i], '\n') + 1
			end := len(text)
			if n := strings.IndexByte(text[at+i:], '\n'); n >= 0 {
				end = at + i + n
			}
			lines = append(lines, [2]int{start, end})
			at = end
		}
	}
	slices.SortFunc(lines, func(a, b [2]int) int { return a[0] - b[0] })
	return slices.Compact(lines)
}

// asciiLower keeps every offset, which strings.ToLower does not.
func asciiLower(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}
