package projection

import (
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// maxBody is where a body is cut, in bytes. GitHub refuses bodies of more than
// 65,536 characters.
const maxBody = 60_000

// Body renders the comment of one defect: what, why it matters, how to see it,
// what would close it. The place is said by where the comment stands.
func Body(d *ledger.Defect, r *Report) string { return body(d, r, "") }

// body is Body with a suggestion block, "" for none.
func body(d *ledger.Defect, r *Report, suggestion string) string {
	var b strings.Builder
	b.WriteString(headline(d))
	if d.Detail != "" {
		b.WriteString("\n\n" + Escape(d.Detail))
	}
	if len(d.Evidence) > 0 {
		b.WriteString("\n\nHow to see it:\n" + bullets(d.Evidence))
	}
	if d.Reproduced != nil {
		b.WriteString("\n\n" + reproduction(d.Reproduced))
	}
	if text := progress(d); text != "" {
		b.WriteString("\n\n" + text)
	}
	if suggestion != "" {
		b.WriteString("\n\n" + suggestion)
	}
	b.WriteString("\n\n" + footer(d, r))
	return clip(b.String(), maxBody) + "\n" + Marker(d.ID, d.FP)
}

// headline is the claim with its status where that is not simply open.
func headline(d *ledger.Defect) string {
	claim := Line(d.Claim)
	switch d.Status {
	case ledger.Closed:
		return fmt.Sprintf("**Fixed in %s.** %s", Short(d.FixedIn), claim)
	case ledger.Waived:
		return "**Dismissed.** " + claim
	case ledger.Obsolete:
		return "**No longer there.** " + claim
	case ledger.Back:
		return fmt.Sprintf("**%sBack again.** %s", label(d), claim)
	case ledger.Fixing:
		return fmt.Sprintf("**%sPossibly fixed, not yet verified.** %s", label(d), claim)
	}
	if silenced(d) {
		return fmt.Sprintf("**Silenced by the team's rule %s.** %s", Code(d.Hidden.By), claim)
	}
	if d.MissedEarlier {
		return fmt.Sprintf("**%sMissed earlier.** %s", label(d), claim)
	}
	if l := strings.TrimSuffix(label(d), " "); l != "" {
		return "**" + l + "** " + claim
	}
	return claim
}

// label says severity and category, "High, security. " for example.
func label(d *ledger.Defect) string {
	words := make([]string, 0, 2)
	if d.Severity != "" {
		words = append(words, string(d.Severity))
	}
	if d.Category != "" {
		words = append(words, Line(d.Category))
	}
	if len(words) == 0 {
		return ""
	}
	s := strings.Join(words, ", ")
	return strings.ToUpper(s[:1]) + s[1:] + ". "
}

// reproduction shows the run that makes a defect tier 1.
func reproduction(r *finding.Reproduction) string {
	return fmt.Sprintf("Reproduced %d times: %s ends with %d at %s and with 0 at %s.\n\n%s", r.Runs, Code(r.Command), r.Exit,
		Short(r.Head), Line(r.Against), breakComments(Block("text", Visible(strings.TrimRight(r.Output, "\n")))))
}

// progress lists what would close the defect, and how far it is.
func progress(d *ledger.Defect) string {
	if len(d.Criteria) == 0 {
		return ""
	}
	met := 0
	var b strings.Builder
	for _, c := range d.Criteria {
		state := ""
		switch c.Outcome {
		case "passed":
			met++
			state = " (met at " + Short(c.Commit) + ", by " + strings.ReplaceAll(c.Method, "_", " ") + ")"
		case "failed":
			state = " (not met at " + Short(c.Commit) + ")"
		}
		b.WriteString("\n- " + Line(c.Text) + state)
	}
	head := "It closes when:"
	if met > 0 && met < len(d.Criteria) {
		head = fmt.Sprintf("%d of %d are met. It closes when:", met, len(d.Criteria))
	}
	return head + b.String()
}

// footer names the defect, its tier and who said it about which commit.
func footer(d *ledger.Defect, r *Report) string {
	said := "said by " + Line(d.Source)
	if n := len(d.Runs); n > 1 {
		said += fmt.Sprintf(", seen in %d runs", n)
	}
	return fmt.Sprintf("<sub>crev %s, %s, %s, at %s. A comment never blocks; only a validator does.</sub>",
		d.ID, d.Tier, said, Short(r.Head))
}

// Suggestion renders a suggestion block that replaces the commented lines, or
// false when it must not be offered: it is too long, hides characters, changes
// nothing or mixes line ends.
func Suggestion(replacement string, current []string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(replacement, "\n"), "\n")
	if len(current) == 0 || len(lines) > maxSuggestion || hides(replacement) {
		return "", false
	}
	if strings.Join(lines, "\n") == strings.Join(current, "\n") {
		return "", false
	}
	crlf := strings.HasSuffix(current[0], "\r")
	for _, l := range lines {
		if strings.HasSuffix(l, "\r") != crlf {
			return "", false
		}
	}
	return Block("suggestion", strings.Join(lines, "\n")), true
}

// maxSuggestion is the most lines a suggestion replaces by.
const maxSuggestion = 20

func bullets(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = "- " + Line(s)
	}
	return strings.Join(out, "\n")
}

// clip cuts a body on a line border, outside fences, and says so.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := s[:strings.LastIndexByte(s[:limit], '\n')+1]
	fence := ""
	for line := range strings.SplitSeq(cut, "\n") {
		switch mark, info := fenceOf(line); {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence) && info == "":
			fence = ""
		}
	}
	if fence != "" {
		cut += fence + "\n"
	}
	return cut + "\n(cut here; the ledger has the whole text)\n"
}

// Short is the first twelve digits of a commit, as GitHub links it.
func Short(sha string) string {
	if len(sha) > 12 {
		return sha[:12]
	}
	return sha
}

// Place renders a location as path:line or path:start-end.
func Place(l finding.Location) string {
	switch {
	case l.Start == 0:
		return l.Path
	case l.End > l.Start:
		return fmt.Sprintf("%s:%d-%d", l.Path, l.Start, l.End)
	}
	return fmt.Sprintf("%s:%d", l.Path, l.Start)
}

// at renders a place, which is a whole file for line 0.
func at(path string, line int) string {
	return Place(finding.Location{Path: path, Start: line})
}

// hides reports whether a text has characters that a reader would not see. A
// carriage return is part of the lines that a suggestion replaces.
func hides(s string) bool {
	s = strings.ReplaceAll(s, "\r", "")
	return Visible(s) != s
}
