package finding

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// secretWindow is the shortest piece of a known secret that is redacted: a
// payload that cuts the first characters off a key still shows this much.
const secretWindow = 12

// Redactor takes secrets out of text before it leaves the process or enters the
// ledger. The zero value knows the common shapes only.
type Redactor struct {
	// windows are all pieces of secretWindow letters and digits of the known
	// secrets, as they are and reversed, each also in base64 and hex.
	windows map[string]bool
}

// NewRedactor returns a redactor that also knows these secrets, whole or in
// pieces. Values shorter than secretWindow are ignored: they would hit words.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{windows: map[string]bool{}}
	for _, s := range secrets {
		if len(s) < secretWindow {
			continue
		}
		for _, form := range forms(s) {
			for w := range windows(form) {
				r.windows[w] = true
			}
		}
	}
	return r
}

// forms returns the ways in which a secret is written when somebody wants it to
// pass a filter.
func forms(s string) []string {
	rev := []byte(s)
	slices.Reverse(rev)
	out := []string{s, string(rev)}
	for _, plain := range []string{s, string(rev)} {
		out = append(out, hex.EncodeToString([]byte(plain)))
		// Base64 of a longer text that holds the secret depends on where it
		// starts, modulo three.
		for pad := range 3 {
			enc := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", pad) + plain))
			out = append(out, enc[4*((pad+2)/3):])
		}
	}
	return out
}

func windows(s string) map[string]bool {
	s, _ = letters(s)
	out := map[string]bool{}
	for i := 0; i+secretWindow <= len(s); i++ {
		out[s[i:i+secretWindow]] = true
	}
	return out
}

// letters keeps ASCII letters and digits, folded to lower case, and says where
// each stood.
func letters(s string) (string, []int) {
	kept := make([]byte, 0, len(s))
	at := make([]int, 0, len(s))
	for i := range len(s) {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		default:
			continue
		}
		kept, at = append(kept, c), append(at, i)
	}
	return string(kept), at
}

// Redact replaces every secret by "[redacted:KIND]" where KIND says what it was.
// Text without secrets is returned as it is, and the number of lines stays the same
// in any case.
func (r *Redactor) Redact(s string) string {
	for _, shape := range secretShapes() {
		holds := func(sign string) bool { return strings.Contains(s, sign) }
		if shape.wide == nil || !slices.ContainsFunc(shape.signs, holds) {
			continue
		}
		s = shape.wide.ReplaceAllStringFunc(s, func(secret string) string { return mark(shape.kind, secret) })
	}
	if r != nil && len(r.windows) > 0 {
		s = r.redactKnown(s)
	}
	return redactFound(s)
}

// redactFound replaces what Secrets finds.
func redactFound(s string) string {
	var b strings.Builder
	at := 0
	for _, found := range Secrets(s) {
		b.WriteString(s[at:found.Start])
		b.WriteString(mark(found.Kind, s[found.Start:found.End]))
		at = found.End
	}
	if at == 0 {
		return s
	}
	b.WriteString(s[at:])
	return b.String()
}

// mark stands for a secret, with the line ends that the secret had.
func mark(name, secret string) string {
	return "[redacted:" + name + "]" + strings.Repeat("\n", strings.Count(secret, "\n"))
}

// redactKnown looks for pieces of known secrets in the letters of the text, so
// that blanks, hyphens or invisible characters between them hide nothing.
func (r *Redactor) redactKnown(s string) string {
	kept, at := letters(s)
	var b strings.Builder
	done := 0
	for i := 0; i+secretWindow <= len(kept); i++ {
		if !r.windows[kept[i:i+secretWindow]] {
			continue
		}
		end := i + secretWindow
		for end < len(kept) && r.windows[kept[end-secretWindow+1:end+1]] {
			end++
		}
		b.WriteString(s[done:at[i]])
		last := at[end-1] + 1
		b.WriteString(mark("secret", s[at[i]:last]))
		done = last
		i = end - 1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}
