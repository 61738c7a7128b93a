package projection

import (
	"fmt"
	"strings"
)

// Proof is what came of proving a validator that the change adds or changes.
type Proof struct {
	Validator string
	// Verdict is proven, vacuous, overfit, flaky, broken or NotProvenHere.
	Verdict string
	// Reason is one line, Remedy what to do, "" where it is proven.
	Reason, Remedy string
	// Run shows the runs that gave the verdict, "" where there was none.
	Run string
	// Decides are the classes that it is to decide once it is merged.
	Decides []Decided
}

// NotProvenHere is the verdict where the validator must not run in this job.
const NotProvenHere = "not proven here"

// proven is the verdict that lets a validator decide.
const proven = "proven"

// Decided is a class and what it claims, "" where the ledger does not know it.
type Decided struct{ Class, Claim string }

// sentence says what the proof means, in plain words.
func (p Proof) sentence() string {
	switch p.Verdict {
	case proven:
		return "proven: " + p.Reason + ". Once merged it blocks."
	case NotProvenHere:
		return "not proven here: " + p.Reason + "."
	}
	return strings.TrimSpace("refused, " + p.Verdict + ": " + strings.TrimSuffix(p.Reason, ".") + ". " + p.Remedy)
}

// outlook says what becomes of a class, "" for a proof that failed.
func (p Proof) outlook(d Decided) string {
	claim := ""
	if d.Claim != "" {
		claim = ": " + d.Claim
	}
	if p.Verdict != proven && p.Verdict != NotProvenHere {
		return fmt.Sprintf("It does not decide class %s%s", d.Class, claim)
	}
	return fmt.Sprintf("Once merged it decides class %s%s", d.Class, claim)
}

func writeProofs(b *strings.Builder, r *Report) {
	if len(r.Proofs) == 0 {
		return
	}
	b.WriteString("\n**Validators of this pull request.** They advise until it is merged.\n")
	for _, p := range r.Proofs {
		fmt.Fprintf(b, "- %s %s\n", Code(p.Validator), Line(p.sentence()))
		for _, d := range p.Decides {
			fmt.Fprintf(b, "  - %s\n", Line(p.outlook(d)))
		}
	}
	for _, p := range r.Proofs {
		if p.Run != "" {
			fmt.Fprintf(b, "\n<details><summary>How %s was run</summary>\n\n%s\n\n</details>\n", Escape(p.Validator), breakComments(Block("text", Visible(p.Run))))
		}
	}
}

func writeTextProofs(b *strings.Builder, r *Report) {
	for _, p := range r.Proofs {
		fmt.Fprintf(b, "proof of validator %s: %s\n", plain(p.Validator), plain(p.sentence()))
		for _, d := range p.Decides {
			fmt.Fprintf(b, "  %s\n", plain(p.outlook(d)))
		}
		for line := range strings.Lines(p.Run) {
			fmt.Fprintf(b, "  | %s\n", strings.TrimRight(Visible(line), "\n"))
		}
	}
}
