package checker

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

// FilterCase is what the filter looks at: everything of a run that is about to be
// posted, and what is known. It asks no model.
type FilterCase struct {
	// Candidates stand, and are placed in the code. Their Source is the code
	// around them.
	Candidates []Candidate
	// Silenced are the findings of this run that a rule hides, by the id of
	// the rule.
	Silenced []Recalled
	// Rules are the active rules; Author is that of the pull request.
	Rules  []rule.Rule
	Author string
	// Known are the defects of the ledger as this pull request sees them.
	Known []*ledger.Defect
}

// Filtered is what the filter says of one candidate. The zero value lets it pass.
type Filtered struct {
	// Rule is the rule that hides it, "" for none; Why says on what grounds.
	Rule, Why string
	// Repeats says which candidate, counted from 1, it says again: one comment
	// is enough. 0 for none.
	Repeats int
	// NoSuggestion is why its suggestion is not offered, "" when it may be.
	NoSuggestion string
	// Note is something a reader should know, "" for nothing: the finding is
	// about code that crev itself suggested.
	Note string
}

// Filter checks what is about to be posted after everything has been said, in
// code alone: rules that were told once and are met in other words, one thing
// said by two reviewers, suggestions that contradict each other or what was said
// before. Which findings are known defects is not decided here; see package
// reconcile. The answer has one entry a candidate, in their order.
func Filter(in FilterCase) []Filtered {
	f := newFilter(in)
	out := make([]Filtered, len(in.Candidates))
	for i := range in.Candidates {
		out[i].Rule, out[i].Why = f.ruled(i)
		out[i].NoSuggestion, out[i].Note = f.contradicts(i)
	}
	for i := range in.Candidates {
		for k := range in.Candidates {
			if i != k && out[i].Rule == "" && out[k].Rule == "" && out[k].Repeats == 0 && out[i].Repeats == 0 && f.repeats(i, k) {
				out[i].Repeats = k + 1
			}
		}
	}
	for i := range in.Candidates {
		for k := range in.Candidates {
			if i != k && out[i].NoSuggestion == "" && offers(in.Candidates[k], out[k]) && f.yields(i, k) {
				out[i].NoSuggestion = "another suggestion changes the same lines"
			}
		}
	}
	return out
}

// filter is a case with what is worked out once.
type filter struct {
	FilterCase
	// classes are those of the candidates, says the words of the rules.
	classes []string
	says    []map[string]bool
	// hides says which classes a rule has hidden, here or before: the key is
	// the rule's id and the class.
	hides map[[2]string]string
	// told are the known defects by path, with their code.
	told map[string][]told
}

// told is what crev said of a place: the code that was there and the code that it
// suggested, without blanks.
type told struct {
	id         ledger.DefectID
	quote, own string
}

func newFilter(in FilterCase) *filter {
	f := &filter{FilterCase: in, hides: map[[2]string]string{}, told: map[string][]told{}}
	for _, c := range in.Candidates {
		f.classes = append(f.classes, classOf(c.Finding))
	}
	for _, r := range in.Rules {
		f.says = append(f.says, contentWords(r.Says))
	}
	for _, d := range in.Known {
		if d.Hidden != nil && d.Hidden.Reason == "rule" {
			f.hides[[2]string{d.Hidden.By, d.FP}] = "the rule has hidden this before"
		}
		if d.MergedInto == "" && len(d.Locations) > 0 {
			p := d.Locations[0].Path
			f.told[p] = append(f.told[p], told{d.ID, squeeze(d.Quote), squeeze(d.Suggestion)})
		}
	}
	for _, s := range in.Silenced {
		f.hides[[2]string{s.Rule, classOf(s.Finding)}] = "the rule hides another finding of this run that says the same"
	}
	return f
}

func classOf(f finding.Finding) string {
	return finding.Class(f.Path, f.Category, f.Subject, f.Predicate, f.Claim)
}

// ruled finds a rule that hides a candidate without a model's word: it hid the
// same class before, in this run or an earlier one, or the finding speaks the
// words of the rule. In each case the rule may hide it, and needs no condition
// to be read. What memory_pos found was asked for by a rule and is left alone.
func (in *filter) ruled(i int) (id, why string) {
	c := in.Candidates[i]
	if c.Finding.Source == MemoryPosName {
		return "", ""
	}
	has := contentWords(c.Finding.Claim + " " + c.Finding.Subject + " " + c.Finding.Predicate)
	for k, r := range in.Rules {
		why := in.hides[[2]string{r.ID, in.classes[i]}]
		if why == "" && speaks(has, in.says[k]) {
			why = "it speaks the words of the rule"
		}
		if why == "" || r.Condition != "" || r.Exclusion != "" {
			continue
		}
		if ok, _ := r.MayHide(c.Finding, c.Judged, in.Author); ok {
			return r.ID, why
		}
	}
	return "", ""
}

// Words of a rule that a finding has to share: two, and half of them. Rules are
// short; one word in common is a subject in common and no more.
const fewestShared = 2

// speaks reports whether a finding uses the words of a rule: those that say what
// the rule is about, endings aside.
func speaks(has, says map[string]bool) bool {
	shared := 0
	for w := range says {
		if has[w] {
			shared++
		}
	}
	return shared >= fewestShared && 2*shared >= len(says)
}

// idle are words that say nothing of a rule's subject: those that join words, and
// those that every silence rule has.
var idle = wordSet(`a about all also an and any are as at be because been being but by can do does for from had has have here
	how i if in into is it its may more must no none not of on only or our out over should so some such than that the their
	them then there these they this those to too us use used very was we were what when where which while who will with would you your
	comment complain mention report flag raise warn suggest finding issue problem note remark ignore skip allow accept intend
	intentional deliberate purpose fine okay ok want need never always please code file`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[stem(w)] = true
	}
	return out
}

// contentWords are the words of a text without idle ones and without endings.
func contentWords(text string) map[string]bool {
	out := map[string]bool{}
	plain := strings.ReplaceAll(finding.Normalize(text), "`", " ")
	for w := range strings.FieldsFuncSeq(strings.ToLower(plain), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if s := stem(w); len(s) > 1 && !idle[s] {
			out[s] = true
		}
	}
	return out
}

// stem takes a common ending off a longer word: "comments" and "commented" are
// "comment".
func stem(w string) string {
	for _, end := range []string{"ibility", "ility", "ings", "ing", "edly", "ible", "able", "ies", "ed", "es", "ly", "s", "y", "e"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 {
			return rest
		}
	}
	return w
}

// repeats reports whether candidate i says what candidate k says, and k is the
// one to keep: another reviewer's, of the same class, on the same lines. The
// graver is kept, so that nothing shielded hides behind something that is not.
func (in *filter) repeats(i, k int) bool {
	a, b := in.Candidates[i], in.Candidates[k]
	if a.Finding.Source == b.Finding.Source || in.classes[i] != in.classes[k] || !overlaps(a.Finding, b.Finding) {
		return false
	}
	if sa, sb := rule.Shielded(a.Finding, a.Judged), rule.Shielded(b.Finding, b.Judged); sa != sb {
		return sb
	}
	ra, rb := a.Finding.Severity.Rank(), b.Finding.Severity.Rank()
	return ra < rb || ra == rb && k < i
}

// overlaps reports whether two findings stand on a common line of one file.
func overlaps(a, b finding.Finding) bool {
	return a.Path == b.Path && (a.Side == finding.Left) == (b.Side == finding.Left) && a.StartLine > 0 && b.StartLine > 0 &&
		a.StartLine <= max(b.StartLine, b.EndLine) && b.StartLine <= max(a.StartLine, a.EndLine)
}

// offers reports whether a candidate's suggestion is still to be shown.
func offers(c Candidate, f Filtered) bool {
	return c.Finding.Suggestion != "" && f.NoSuggestion == "" && f.Rule == "" && f.Repeats == 0
}

// yields reports whether the suggestion of i gives way to that of k: GitHub applies
// each to the lines as they are, so the second one applied would undo the first.
func (in *filter) yields(i, k int) bool {
	a, b := in.Candidates[i].Finding, in.Candidates[k].Finding
	if a.Suggestion == "" || !overlaps(a, b) || a.Suggestion == b.Suggestion && a.StartLine == b.StartLine && a.EndLine == b.EndLine {
		return false
	}
	return a.Severity.Rank() < b.Severity.Rank() || a.Severity == b.Severity && k < i
}

// minRemembered is how many characters, blanks aside, code needs to be told from
// code that merely looks alike.
const minRemembered = 20

// contradicts compares a candidate with what crev said before. A suggestion that
// brings back the code of a known defect is not offered; a finding about code
// that crev suggested says so, for a person to decide which of the two is right.
func (in *filter) contradicts(i int) (noSuggestion, note string) {
	c := in.Candidates[i]
	said := in.told[c.Finding.Path]
	if len(said) == 0 {
		return "", ""
	}
	suggestion, source, quote := squeeze(c.Finding.Suggestion), squeeze(c.Source), squeeze(c.Finding.Quote)
	for _, d := range said {
		if noSuggestion == "" && len(d.quote) >= minRemembered && strings.Contains(suggestion, d.quote) && !strings.Contains(source, d.quote) {
			noSuggestion = fmt.Sprintf("it brings back the code that %s was about", d.id)
		}
		if note == "" && len(quote) >= minRemembered && strings.Contains(d.own, quote) && !strings.Contains(d.quote, quote) {
			note = fmt.Sprintf("crev itself suggested this code, for %s", d.id)
		}
	}
	return noSuggestion, note
}

// squeeze is a text without blanks.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
