package projection

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// WriteText prints the report for a terminal or a log: the same content as the
// summary, one statement a line. No line begins like a workflow command.
func WriteText(w io.Writer, r *Report) error {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "validator %s: %s\n", plain(c.Name), plain(strings.TrimSuffix(c.Status+", "+c.Reason, ", ")))
		for _, f := range c.Failures {
			fmt.Fprintf(&b, "  %s: %s\n", plain(at(f.Path, f.Line)), plain(f.Message))
		}
	}
	if r.Sandbox != "" {
		fmt.Fprintf(&b, "sandbox %s\n", r.Sandbox)
	}
	writeTextProofs(&b, r)
	writeTextDefects(&b, r)
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %s%s\n", c.Defect, c.What, tail(c.Detail))
	}
	for _, h := range r.Hidden {
		fmt.Fprintf(&b, "not posted: %s: %s (%s)\n", plain(at(h.Path, h.Line)), plain(h.Claim), plain(strings.TrimSuffix(h.Reason+", "+h.By, ", ")))
	}
	for _, c := range r.Due.Classes {
		fmt.Fprintf(&b, "said in %d pull requests: %s: %s (crev ledger promote --scaffold %s)\n", c.PullRequests, plain(c.Path), plain(c.Claim), c.FP)
	}
	for _, m := range r.Memory {
		fmt.Fprintf(&b, "memory: %s %s, by %s%s\n", m.What, plain(m.Subject), plain(m.By), tail(m.Reason))
	}
	for _, s := range r.Proposed {
		fmt.Fprintf(&b, "takes effect after the merge: %s\n", plain(s))
	}
	writeTextBatches(&b, r)
	for _, c := range r.Coverage {
		fmt.Fprintf(&b, "file %s: %s%s\n", plain(c.Path), c.State, tail(c.Reason))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", plain(n))
	}
	if r.LedgerWhere != "" {
		fmt.Fprintf(&b, "ledger: %d new lines, %s\n", len(r.LedgerLines), plain(r.LedgerWhere))
	}
	fmt.Fprintf(&b, "%s\n", plain(r.Headline()))
	_, err := io.WriteString(w, b.String())
	return err
}

func writeTextDefects(b *strings.Builder, r *Report) {
	for _, d := range byWeight(r.Defects) {
		if !InSight(d) {
			continue
		}
		where := ""
		if len(d.Locations) > 0 {
			where = plain(Place(d.Locations[0])) + ": "
		}
		fmt.Fprintf(b, "\n%s%s%s\n", where, label(d), plain(d.Claim))
		for _, s := range append([]string{d.Detail}, d.Evidence...) {
			if s != "" {
				fmt.Fprintf(b, "    %s\n", plain(s))
			}
		}
		if r := d.Reproduced; r != nil {
			fmt.Fprintf(b, "    reproduced %d times: %s ends with %d at %s and with 0 at %s\n", r.Runs, plain(r.Command), r.Exit, Short(r.Head), plain(r.Against))
			for line := range strings.Lines(r.Output) {
				fmt.Fprintf(b, "      | %s\n", plain(line))
			}
		}
		for _, c := range d.Criteria {
			fmt.Fprintf(b, "    closes when: %s%s\n", plain(c.Text), tail(c.Outcome))
		}
		fmt.Fprintf(b, "    %s, %s, %s, said by %s\n", d.ID, d.Status, d.Tier, plain(d.Source))
	}
	if slices.ContainsFunc(r.Defects, func(d *ledger.Defect) bool { return InSight(d) }) {
		b.WriteString("\n")
	}
}

func tail(s string) string {
	if s == "" {
		return ""
	}
	return ": " + plain(s)
}

// plain keeps text on one line, shows hidden characters, and breaks what a
// runner would take for a workflow command at the start of a line.
func plain(s string) string {
	s = Visible(strings.Join(strings.Fields(s), " "))
	if strings.HasPrefix(s, "::") || strings.HasPrefix(s, "##[") {
		s = " " + s
	}
	return s
}
