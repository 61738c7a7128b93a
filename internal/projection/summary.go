package projection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// Headline is the run's result in one sentence that names the commit.
func (r *Report) Headline() string {
	s := fmt.Sprintf("crev %s at %s", r.Conclusion, Short(r.Head))
	if r.Reason != "" {
		s += ": " + r.Reason
	}
	return s
}

// Summary renders the one sticky comment. Every statement names the commit it
// is about, so an old summary never looks like a verdict on a new head.
func Summary(r *Report, p Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n", Line(r.Headline()))
	if r.HeadNow != "" && r.HeadNow != r.Head {
		fmt.Fprintf(&b, "\nReviewed %s; the head is %s now, and nothing here is about it.\n", Short(r.Head), Short(r.HeadNow))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\n> %s\n", Line(n))
	}
	writeChecks(&b, r)
	writeProofs(&b, r)
	writeDefects(&b, r, p)
	writeChanges(&b, r)
	writeMemory(&b, r)
	if len(r.Proposed) > 0 {
		b.WriteString("\n**This pull request changes `.crev/`.** It takes effect after the merge; this run used the base.\n")
		for _, s := range r.Proposed {
			b.WriteString("- " + Code(s) + "\n")
		}
	}
	writeCoverage(&b, r)
	writeBatches(&b, r)
	writeHidden(&b, r)
	writeDue(&b, r)
	writeLedger(&b, r)
	writeCost(&b, r)
	return clip(b.String(), maxBody) + "\n" + SummaryMarker
}

// writeMemory lists what replies changed: what one person decided on a thread is
// for all to see.
func writeMemory(b *strings.Builder, r *Report) {
	if len(r.Memory) == 0 {
		return
	}
	b.WriteString("\n**What replies on this pull request changed.** Rules take effect when the ledger's pull request is merged.\n")
	for _, m := range r.Memory {
		by := Line(m.By)
		if r.Repo != "" && strings.HasPrefix(m.From, r.Repo+"/") && !strings.ContainsAny(m.From, " ()<>") {
			by = "[" + by + "](" + m.From + ")"
		}
		fmt.Fprintf(b, "- %s %s, by %s%s\n", m.What, Code(m.Subject), by, reason(m.Reason))
	}
}

func reason(s string) string {
	if s == "" {
		return ""
	}
	return ": " + Line(s)
}

func writeChecks(b *strings.Builder, r *Report) {
	if len(r.Checks) == 0 {
		return
	}
	b.WriteString("\n| validator | result | |\n|---|---|---|\n")
	for _, c := range r.Checks {
		note := c.Reason
		if n := len(c.Failures); n > 0 {
			note = fmt.Sprintf("%d found", n)
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", cell(Code(c.Name)), c.Status, cell(Line(note)))
	}
	if r.Sandbox != "" {
		fmt.Fprintf(b, "\nScripts ran in the sandbox at level %s.\n", r.Sandbox)
	}
	shown := 0
	for _, c := range r.Checks {
		for _, f := range c.Failures {
			if shown == maxListed {
				break
			}
			shown++
			fmt.Fprintf(b, "- %s %s (%s)\n", Code(at(f.Path, f.Line)), Line(f.Message), Code(c.Name))
		}
	}
	if total := countFailures(r); total > shown {
		fmt.Fprintf(b, "- and %d more; the log has them all\n", total-shown)
	}
}

// maxListed bounds lists in the summary; the full ones are in the log and the
// ledger.
const maxListed = 50

func countFailures(r *Report) int {
	n := 0
	for _, c := range r.Checks {
		n += len(c.Failures)
	}
	return n
}

func writeDefects(b *strings.Builder, r *Report, p Plan) {
	var active []*ledger.Defect
	for _, d := range byWeight(r.Defects) {
		if InSight(d) {
			active = append(active, d)
		}
	}
	if len(active) == 0 {
		return
	}
	fmt.Fprintf(b, "\n**Open at %s: %d**\n", Short(r.Head), len(active))
	for i, d := range active {
		if i == maxListed {
			fmt.Fprintf(b, "- and %d more; `crev ledger show` has them all\n", len(active)-i)
			break
		}
		where := ""
		if len(d.Locations) > 0 {
			where = r.link(d.Locations[0].Path, d.Locations[0].Start, Place(d.Locations[0]))
		}
		fmt.Fprintf(b, "- %s %s%s %s\n", where, strings.TrimSpace(label(d)), status(d), Line(d.Claim))
		if slices.Contains(p.InSummary, d.ID) && d.Detail != "" {
			fmt.Fprintf(b, "  %s\n", Line(d.Detail))
		}
	}
	if n := len(p.Capped); n > 0 {
		fmt.Fprintf(b, "\n%d of them have no comment of their own: a review holds a limited number.\n", n)
	}
}

func status(d *ledger.Defect) string {
	switch d.Status {
	case ledger.Fixing:
		return " (possibly fixed)"
	case ledger.Back:
		return " (reopened)"
	}
	return ""
}

func writeChanges(b *strings.Builder, r *Report) {
	var lines []string
	for _, c := range r.Changes {
		if c.What == "seen again" {
			continue
		}
		line := fmt.Sprintf("- `%s` %s", c.Defect, c.What)
		if c.Detail != "" {
			line += ": " + Line(c.Detail)
		}
		lines = append(lines, line)
	}
	fold(b, fmt.Sprintf("What changed at %s (%d)", Short(r.Head), len(lines)), lines)
}

func writeCoverage(b *strings.Builder, r *Report) {
	count := map[State]int{}
	var lines []string
	for _, c := range r.Coverage {
		count[c.State]++
		line := fmt.Sprintf("- %s %s", Code(c.Path), c.State)
		if c.Reason != "" {
			line += ": " + Line(c.Reason)
		}
		lines = append(lines, line)
	}
	var parts []string
	for _, s := range []State{Reviewed, Reused, Unreviewed, Excluded, NoText} {
		if n := count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(parts) > 0 {
		fold(b, "Files: "+strings.Join(parts, ", "), lines)
	}
}

func writeHidden(b *strings.Builder, r *Report) {
	hidden := slices.Clone(r.Hidden)
	slices.SortStableFunc(hidden, func(a, b Hidden) int {
		return cmp.Or(strings.Compare(a.Reason, b.Reason), strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	var lines []string
	for _, h := range hidden {
		by := h.Reason
		if h.By != "" {
			by += ", " + h.By
		}
		lines = append(lines, fmt.Sprintf("- %s %s (%s)", Code(at(h.Path, h.Line)), Line(h.Claim), Line(by)))
	}
	fold(b, fmt.Sprintf("Not posted, with the reason (%d)", len(lines)), lines)
}

func writeLedger(b *strings.Builder, r *Report) {
	if len(r.LedgerLines) == 0 {
		return
	}
	title := fmt.Sprintf("Ledger: %d new lines", len(r.LedgerLines))
	body := Block("json", Visible(strings.Join(r.LedgerLines, "\n")))
	if len(body) > maxLedgerShown {
		body = "Too long to show here."
	}
	where := ""
	if r.LedgerWhere != "" {
		where = "\n\n" + r.LedgerWhere
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s%s\n\n</details>\n", title, breakComments(body), where)
}

// maxLedgerShown keeps the ledger's lines from crowding out the rest.
const maxLedgerShown = 20_000

func writeCost(b *strings.Builder, r *Report) {
	if r.Model == "" {
		return
	}
	s := fmt.Sprintf("%s, %d tokens in (%d cached), %d out", Code(r.Model), r.PromptTokens, r.CachedTokens, r.CompletionTokens)
	if r.USD > 0 {
		s += fmt.Sprintf(", $%.3f", r.USD)
	}
	fmt.Fprintf(b, "\n<sub>%s</sub>\n", s)
}

// fold writes a collapsed list, or nothing when it is empty.
func fold(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	more := ""
	if n := len(lines); n > maxFolded {
		lines, more = lines[:maxFolded], fmt.Sprintf("\n- and %d more", n-maxFolded)
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s%s\n\n</details>\n", title, strings.Join(lines, "\n"), more)
}

// maxFolded bounds a collapsed list; with it the largest summary stays within
// maxBody for paths of usual length.
const maxFolded = 200

// link renders a place as a link to the repository at the reviewed commit, or as
// code where there is no repository to link to.
func (r *Report) link(path string, line int, text string) string {
	if r.Repo == "" {
		return Code(text)
	}
	return "[" + Code(text) + "](" + CodeURL(r.Repo, r.Head, path, line) + ")"
}

// CodeURL is the address of a place in the code of a repository on the web; line
// 0 is the whole file.
func CodeURL(repo, commit, path string, line int) string {
	url := repo + "/blob/" + commit + "/" + escapePath(path)
	if line > 0 {
		url += fmt.Sprintf("#L%d", line)
	}
	return url
}

// escapePath percent-encodes everything but unreserved characters and slashes.
func escapePath(p string) string {
	var b strings.Builder
	for i := range len(p) {
		c := p[i]
		if c == '/' || c == '-' || c == '_' || c == '.' || c == '~' ||
			'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
