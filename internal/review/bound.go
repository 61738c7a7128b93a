package review

import (
	"strings"
	"unicode/utf8"

	"github.com/crev-ratchet/crev/internal/finding"
)

// What a reviewer may write, in bytes. A finding becomes one line of the ledger,
// which holds 1 MiB; with these limits it fits even when every byte has to be
// written as an escape of six.
const (
	maxPath   = 4_096
	maxClaim  = 2_000
	maxDetail = 80_000
	maxQuote  = 10_000
	maxWord   = 200 // category, symbol, subject, predicate
	maxItem   = 1_000
	maxItems  = 20 // of evidence, of criteria
)

// bounded cuts what is longer than a reader or the ledger takes.
func bounded(f finding.Finding) finding.Finding {
	f.Path = cut(f.Path, maxPath)
	f.Quote = head(f.Quote, maxQuote)
	f.Claim = cut(f.Claim, maxClaim)
	f.Detail = cut(f.Detail, maxDetail)
	for _, s := range []*string{&f.Category, &f.Symbol, &f.Subject, &f.Predicate} {
		*s = cut(*s, maxWord)
	}
	f.Evidence, f.Criteria = cutAll(f.Evidence), cutAll(f.Criteria)
	return f
}

// cut shortens a text to at most limit bytes, not inside of a character.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = " …"
	return head(s, limit-len(mark)) + mark
}

// head returns at most the first limit bytes, not ending inside of a character.
func head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// cutAll shortens a list and each of its items; items without a word are left
// out.
func cutAll(items []string) []string {
	var out []string
	for _, s := range items {
		if strings.TrimSpace(s) != "" && len(out) < maxItems {
			out = append(out, cut(s, maxItem))
		}
	}
	return out
}
