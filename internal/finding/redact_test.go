package finding

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	const key = "cK7fQ2mZp9XwLr4TbV8nYs3H"
	reversed := []byte(key)
	slices.Reverse(reversed)
	spaced := strings.Join(strings.Split(key, ""), " ")
	hidden := strings.Join(strings.Split(key, ""), "\u200b")

	r := NewRedactor(key, "short")
	for name, text := range map[string]string{
		"a GitHub token by its shape":      "token ghs_16C7e42F292c6912E7710c838347Ae178B4a here",
		"a model key by its shape":         "OPENAI sk-proj-abcdefghijklmnopqrstuvwxyz012345",
		"a private key block":              "x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y",
		"a private key without an end":     "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg",
		"a known secret":                   "the key is " + key + ".",
		"a known secret in upper case":     "the key is " + strings.ToUpper(key) + ".",
		"its first seven characters cut":   "the key is " + key[7:] + ".",
		"reversed":                         string(reversed),
		"base64":                           base64.StdEncoding.EncodeToString([]byte(key)),
		"base64 after one other byte":      base64.StdEncoding.EncodeToString([]byte("k" + key)),
		"base64 after two other bytes":     base64.StdEncoding.EncodeToString([]byte("k=" + key)),
		"base64 of it reversed":            base64.StdEncoding.EncodeToString(reversed),
		"hex":                              "0x" + hex.EncodeToString([]byte(key)),
		"split by blanks":                  spaced,
		"split by zero-width characters":   hidden,
		"split by the letters' own dashes": strings.Join(strings.Split(key, ""), "-"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := r.Redact(text)
			if strings.Count(got, "\n") != strings.Count(text, "\n") {
				t.Errorf("Redact(%q) = %q has other lines", text, got)
			}
			if !strings.Contains(got, "[redacted:") {
				t.Errorf("Redact(%q) = %q, want it redacted", text, got)
			}
			if kept, _ := letters(got); strings.Contains(kept, "pqrstuvw") || strings.Contains(kept, "p9xwlr4tbv8n") || strings.Contains(kept, "miie") {
				t.Errorf("Redact(%q) = %q still shows the secret", text, got)
			}
		})
	}
}

// Somebody who writes the first line of a key above his code does not hide the
// code by it.
func TestRedactHidesNoCode(t *testing.T) {
	t.Parallel()
	const code = "func AuthenticateEverybody() bool {\n\treturn true\n}\n"
	for name, text := range map[string]string{
		"below":   "// -----BEGIN PRIVATE KEY-----\n" + code,
		"between": "// -----BEGIN PRIVATE KEY-----\n" + code + "// -----END PRIVATE KEY-----\n",
	} {
		if got := NewRedactor().Redact(text); !strings.Contains(got, code) {
			t.Errorf("%s: Redact(%q) = %q takes the code away", name, text, got)
		}
	}
}

func TestRedactLeavesTextAlone(t *testing.T) {
	t.Parallel()
	r := NewRedactor("cK7fQ2mZp9XwLr4TbV8nYs3H", "password")
	for _, text := range []string{
		"", "a plain sentence about password handling", "func sketch() error { return nil }",
		"sha 9b1c22d07e41a0f3c4d5e6f708192a3b4c5d6e7f", "支払い\r\n\tx := `y`",
	} {
		if got := r.Redact(text); got != text {
			t.Errorf("Redact(%q) = %q, want it unchanged", text, got)
		}
	}
}
