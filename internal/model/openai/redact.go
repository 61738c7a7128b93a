package openai

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	redacted = "[redacted]"
	// shortestPiece is the length from which a piece of a secret gives it
	// away: endpoints echo keys with the middle or the beginning cut out.
	shortestPiece = 12
	// shortestSecret keeps one-letter keys of local servers from blanking out
	// every message.
	shortestSecret = 4
	// longestDetail bounds what is shown of an endpoint's answer.
	longestDetail = 500
)

// credentials are shapes of keys that are none of ours but may be echoed all the
// same, such as the key of the account behind a gateway.
var credentials = regexp.MustCompile(`(?i:bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}` +
	`|\b(?:sk|pk|rk)-[A-Za-z0-9_*-]{8,}` +
	`|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{16,}` +
	`|\bAIza[A-Za-z0-9_-]{20,}`)

// redactor takes secrets out of texts that are shown.
type redactor struct{ secrets []string }

func newRedactor(secrets []string) redactor {
	var r redactor
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= shortestSecret {
			r.secrets = append(r.secrets, s)
		}
	}
	return r
}

// clean redacts a text, puts it on one line and cuts it to 500 characters.
func (r redactor) clean(text string) string {
	text = strings.ToValidUTF8(text, "?")
	for _, s := range r.secrets {
		text = strings.ReplaceAll(text, s, redacted)
		text = withoutPieces(text, s)
	}
	text = credentials.ReplaceAllString(text, redacted)
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c)
	}), " ")
	if runes := []rune(text); len(runes) > longestDetail {
		text = string(runes[:longestDetail]) + "…"
	}
	return text
}

// withoutPieces redacts every piece of the secret of twelve bytes or more.
func withoutPieces(text, secret string) string {
	if len(secret) < shortestPiece {
		return text
	}
	pieces := map[string]bool{}
	for i := 0; i+shortestPiece <= len(secret); i++ {
		pieces[secret[i:i+shortestPiece]] = true
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if i+shortestPiece > len(text) || !pieces[text[i:i+shortestPiece]] {
			b.WriteByte(text[i])
			i++
			continue
		}
		end := i + shortestPiece
		for end < len(text) && pieces[text[end-shortestPiece+1:end+1]] {
			end++
		}
		b.WriteString(redacted)
		i = end
	}
	return b.String()
}
