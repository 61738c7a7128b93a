package finding

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// T65. The tokens are put together here, so that no scanner takes this file for
// a leak.
func TestSecrets(t *testing.T) {
	t.Parallel()
	body := "Zq7Lw2Xk9Rt4Vb6Nc8Mh1Gd3Fs5Pj0YaUeIoTrWqEzSxCd"
	hexes := "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	tests := map[string]struct {
		text, kind string
	}{
		"AWS":                   {"key = \"AKIA" + "QYLPMN5HFX3TZ2WB\"", "AWS access key"},
		"AWS's example":         {"AKIA" + "IOSFODNN7EXAMPLE", ""},
		"GitHub":                {"ghp_" + body[:36], "GitHub token"},
		"GitHub fine-grained":   {"github_pat_" + body[:22] + "_" + (body + body)[:59], "GitHub token"},
		"one character too few": {"ghp_" + body[:30], ""},
		"all the same":          {"ghp_" + strings.Repeat("x", 36), ""},
		"GitLab":                {"glpat-" + body[:20], "GitLab token"},
		"Anthropic":             {"sk-ant-api03-" + body + body[:20], "Anthropic key"},
		"OpenAI":                {"sk-proj-" + body[:24] + "T3Blbk" + "FJ" + body[:24], "OpenAI key"},
		"Stripe live":           {"sk_live_" + body[:24], "Stripe key"},
		"Stripe test":           {"sk_test_" + body[:24], ""},
		"Slack":                 {"xoxb-" + "2417" + body[:24], "Slack token"},
		"Google":                {"AIza" + body[:35], "Google key"},
		"npm":                   {"//npm.example.com/:_authToken=npm_" + body[:36], "npm token"},
		"a private key":         {"-----BEGIN RSA " + "PRIVATE KEY-----", "private key"},
		"a public key":          {"-----BEGIN PUBLIC KEY-----", ""},
		"a password in a URL":   {"postgres://app:" + body[:18] + "@db.internal/app", "password in a URL"},
		"a variable in a URL":   {"postgres://app:${DB_PASSWORD_HERE}@db/app", ""},
		"a password":            {"api_key: \"" + body[:32] + "\"", "password in the code"},
		"a password's name":     {"password = \"correct horse battery staple\"", ""},
		"a checksum":            {"sha256: \"" + hexes + "\"", ""},
		"a commit":              {"uses: actions/checkout@" + hexes[:40], ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Secrets("before\n" + tc.text + "\nafter")
			kind := ""
			if len(got) > 0 {
				kind = got[0].Kind
			}
			if kind != tc.kind || len(got) > 1 {
				t.Errorf("Secrets(%q) = %+v, want %q", tc.text, got, tc.kind)
			}
			if red := NewRedactor().Redact(tc.text); tc.kind != "" && strings.Contains(red, body[:12]) {
				t.Errorf("Redact = %q", red)
			}
		})
	}
}

// A sign that a form does not need would hide credentials.
func TestEveryMatchHoldsASign(t *testing.T) {
	t.Parallel()
	for _, f := range secretForms {
		if f.kind == "AWS secret key" {
			continue // forty letters are a key of AWS where the line speaks of AWS
		}
		for _, re := range []string{f.re, f.loose} {
			if re == "" {
				continue
			}
			t.Run(f.kind, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) {
					text := rapid.StringMatching(re).Draw(t, "text")
					if f.fold { // by ASCII: nobody writes API_KEY with the sign of the kelvin
						text = asciiLower(strings.NewReplacer("\u212a", "k", "\u017f", "s").Replace(text))
					}
					for _, s := range f.signs {
						if strings.Contains(text, s) {
							return
						}
					}
					t.Fatalf("%q holds none of %q", text, f.signs)
				})
			})
		}
	}
}

func BenchmarkRedact(b *testing.B) {
	r := NewRedactor("cK7fQ2mZp9XwLr4TbV8nYs3H")
	text := strings.Repeat("\tfor i := range order.Lines { total += order.Lines[i].Price * quantity }\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r.Redact(text) != text {
			b.Fatal("code was taken for a secret")
		}
	}
}
