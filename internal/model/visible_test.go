package model_test

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/model"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain text":                  {"a\tb\r\nc", "a\tb\r\nc"},
		"letters of other scripts":    {"Ávila 支払い", "Ávila 支払い"},
		"an emoji with its selector":  {"⚠\uFE0F", "⚠\uFE0F"},
		"right-to-left override":      {"a\u202Eb", "a<U+202E>b"},
		"an isolate":                  {"\u2066x\u2069", "<U+2066>x<U+2069>"},
		"zero-width space":            {"a\u200Bb", "a<U+200B>b"},
		"byte order mark inside":      {"a\uFEFFb", "a<U+FEFF>b"},
		"tags that spell a word":      {"x\U000E0069\U000E0067", "x<U+E0069><U+E0067>"},
		"selectors that carry bytes":  {"x\uFE01\U000E0101", "x<U+FE01><U+E0101>"},
		"a broken byte stays a break": {"caf\xe9\u200B", "caf\uFFFD<U+200B>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := model.Visible(tt.in)
			if got != tt.want {
				t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if again := model.Visible(got); again != got {
				t.Errorf("Visible(%q) = %q, want it unchanged", got, again)
			}
			if lines := strings.Count(got, "\n"); lines != strings.Count(tt.in, "\n") {
				t.Errorf("Visible(%q) has %d line ends", tt.in, lines)
			}
		})
	}
}
