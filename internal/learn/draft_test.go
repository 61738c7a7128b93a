package learn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/rule"
)

func proposal() Proposal {
	return Proposal{Kind: "silence", Says: "Literals are fine in tests.", Category: "magic-number", Scope: "**/*_test.go"}
}

// What somebody else saved in the meantime is taught and not saved twice; a slug
// that is taken gets digits of the content, never a count.
func TestApply(t *testing.T) {
	t.Parallel()
	files := Rules{Files: []string{"a.go", "a_test.go", "b/b_test.go"}}
	mine := Lesson{By: "nina", From: "https://example.com/2", At: "2026-11-30"}
	theirs := Lesson{By: "maria", From: "https://example.com/1", At: "2026-11-29"}
	save := RuleDecision{RuleCase: RuleCase{Proposal: proposal(), Draft: proposal().Draft(mine, Context{})}, Outcome: Save, Status: rule.Active}

	first, ok := save.Apply(files, rule.NewPool(), mine)
	if !ok || first.ID != "magic-number" || first.Status != rule.Active {
		t.Fatalf("into an empty pool: %+v, %v", first, ok)
	}

	same := proposal().Draft(theirs, Context{})
	again, ok := save.Apply(files, rule.NewPool(same), mine)
	if !ok || again.ID != same.ID {
		t.Fatalf("the same rule is there: %+v, %v", again, ok)
	}
	if diff := cmp.Diff([]string{"maria", "nina"}, again.Teachers()); diff != "" {
		t.Errorf("teachers (-want +got):\n%s", diff)
	}

	waiting := same.Clone()
	waiting.Status = rule.Pending
	if confirmed, _ := save.Apply(files, rule.NewPool(waiting), mine); confirmed.Status != rule.Active {
		t.Errorf("a pending rule that a writer teaches is %s, want active", confirmed.Status)
	}

	other := same.Clone()
	other.Says, other.Scope = "Literals are fine in b.", rule.Scope{"b/**"}
	beside, _ := save.Apply(files, rule.NewPool(other), mine)
	if beside.ID == other.ID || beside.ID != "magic-number-"+proposal().hash() {
		t.Errorf("beside another rule of its name: id %s", beside.ID)
	}

	gone := RuleDecision{RuleCase: RuleCase{Target: same}, Outcome: Update, Status: rule.Active}
	if r, ok := gone.Apply(files, rule.NewPool(), mine); ok {
		t.Errorf("a rule that is gone was changed: %+v", r)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	files := []string{"a.go", "a_test.go", "billing/x.go", "billing/y.go", "ui/z.go"}
	always := rule.Rule{ID: "r7", Kind: rule.Always, Says: "Amounts are integer cents.", Scope: rule.Scope{"billing/**"}, Category: "money", Status: rule.Active}
	change := func(f func(*Proposal)) Proposal {
		p := Proposal{Kind: "always", Says: "Amounts are integer cents.", Category: "money", Scope: "billing/**"}
		f(&p)
		return p
	}
	for name, tt := range map[string]struct {
		p      Proposal
		shaped []string
		want   Relation
	}{
		"the same":                           {change(func(*Proposal) {}), nil, Same},
		"the same in a part":                 {change(func(p *Proposal) { p.Scope = "billing/x.go" }), nil, Same},
		"the same in more":                   {change(func(p *Proposal) { p.Scope = "**" }), nil, Wider},
		"other words that a model calls one": {change(func(p *Proposal) { p.Says, p.Rule, p.Relation = "Cents, always.", "r7", Same }), nil, Same},
		"narrower, named":                    {change(func(p *Proposal) { p.Says, p.Rule, p.Relation, p.Scope = "Only x.", "r7", Narrower, "billing/x.go" }), nil, Narrower},
		"replaced, named":                    {change(func(p *Proposal) { p.Says, p.Rule, p.Relation = "Decimals.", "r7", Replaces }), nil, Replaces},
		"another sentence":                   {change(func(p *Proposal) { p.Says = "Amounts are rounded late." }), nil, Unrelated},
		"another sentence on its comment":    {change(func(p *Proposal) { p.Says = "Decimals." }), []string{"r7"}, Replaces},
		"the other kind":                     {change(func(p *Proposal) { p.Kind, p.Says = "silence", "Floats are fine." }), nil, Contradicts},
		"the other kind, called the same":    {change(func(p *Proposal) { p.Kind, p.Rule, p.Relation = "silence", "r7", Same }), nil, Contradicts},
		"the other kind, category hidden":    {change(func(p *Proposal) { p.Kind, p.Category = "silence", "style" }), []string{"r7"}, Contradicts},
		"the other kind elsewhere":           {change(func(p *Proposal) { p.Kind, p.Scope = "silence", "ui/**" }), nil, Unrelated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, got := (Rules{All: []rule.Rule{always}, Files: files, Shaped: tt.shaped}).Compare(tt.p); got != tt.want {
				t.Errorf("Compare = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStanding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		permission string
		author     bool
		want       Standing
	}{
		{"admin", false, Maintainer}, {"maintain", true, Maintainer}, {"write", true, Writer}, {"triage", false, Reader},
		{"read", false, Reader}, {"none", false, Reader}, {"", false, Unknown}, {"read", true, Author}, {"", true, Author}, {"owner", false, Reader},
	} {
		if got := StandingOf(tt.permission, tt.author); got != tt.want {
			t.Errorf("StandingOf(%q, %v) = %v, want %v", tt.permission, tt.author, got, tt.want)
		}
	}
	for _, tt := range []struct {
		s             Standing
		shielded, own bool
		want          bool
	}{
		{Writer, false, true, true}, {Writer, true, false, true}, {Writer, true, true, false}, {Maintainer, true, true, true},
		{Author, false, true, false}, {Unknown, false, false, false}, {Reader, false, false, false},
	} {
		if got := tt.s.MayDismiss(tt.shielded, tt.own); got != tt.want {
			t.Errorf("%v.MayDismiss(%v, %v) = %v, want %v", tt.s, tt.shielded, tt.own, got, tt.want)
		}
	}
}
