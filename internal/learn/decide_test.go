package learn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

func silence() rule.Rule {
	return rule.Rule{ID: "x", Kind: rule.Silence, Says: "Literals are fine.", Scope: rule.Scope{"**"}, Category: "magic-number", Status: rule.Active}
}

// TestDecide is the table of decisions apart from the thirty replies, which are
// played through the whole pipeline in cmd/crev.
func TestDecide(t *testing.T) {
	t.Parallel()
	fact := func(v Verdict) []Checked { return []Checked{{Claim: Claim{Fact: true}, Verdict: v}} }
	one := func(change func(*RuleCase)) []RuleCase {
		r := RuleCase{Draft: silence()}
		change(&r)
		return []RuleCase{r}
	}
	same := func(s rule.Status, by string) []RuleCase {
		return one(func(r *RuleCase) {
			r.Relation, r.Target = Same, silence()
			r.Target.Status, r.Target.Learned = s, []rule.Learned{{By: by}}
		})
	}
	against := func(o expertise.Outcome) []RuleCase {
		return one(func(r *RuleCase) {
			r.Relation, r.Target = Contradicts, silence()
			r.Target.Learned = []rule.Learned{{By: "maria"}}
			r.Dispute = expertise.Decision{Outcome: o, Ask: []string{"maria"}}
		})
	}
	for name, tt := range map[string]struct {
		c       Case
		want    Outcome
		reason  Reason
		dismiss string
		signal  string
	}{
		"a rule of a writer":                   {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: one(func(*RuleCase) {})}, Save, BecauseTaught, "", ""},
		"a rule of the author":                 {Case{Standing: Author, Class: Teach, HasDefect: true, Rules: one(func(*RuleCase) {})}, Pending, BecausePermission, "", ""},
		"a rule of somebody unknown":           {Case{Standing: Unknown, Class: Teach, HasDefect: true, Rules: one(func(*RuleCase) {})}, Pending, BecausePermission, "", ""},
		"a rule of a reader":                   {Case{Standing: Reader, Class: Teach, HasDefect: true, Rules: one(func(*RuleCase) {})}, Signal, "", "", SignalDisputed},
		"a reader's thanks":                    {Case{Standing: Reader, Class: ThanksFixed}, None, "", "", ""},
		"orders to the tool":                   {Case{Standing: Maintainer, Class: Teach, Injection: true, Rules: one(func(*RuleCase) {})}, Refuse, BecauseInjection, "", ""},
		"a shielded defect":                    {Case{Standing: Maintainer, Class: Teach, HasDefect: true, Shielded: true, Rules: one(func(*RuleCase) {})}, Refuse, BecauseShield, "", ""},
		"a risk that is accepted":              {Case{Standing: Writer, Class: AcceptedRisk, HasDefect: true}, Dismiss, BecauseAccepted, "accepted_risk", ""},
		"an accepted risk, shielded":           {Case{Standing: Maintainer, Class: AcceptedRisk, HasDefect: true, Shielded: true}, Refuse, BecauseShield, "", ""},
		"an accepted risk of the author":       {Case{Standing: Author, Class: AcceptedRisk, HasDefect: true}, Signal, BecausePermission, "", SignalDisputed},
		"an accepted risk about nothing":       {Case{Standing: Writer, Class: AcceptedRisk}, None, "", "", ""},
		"a false claim":                        {Case{Standing: Writer, Class: Teach, HasDefect: true, Claims: fact(Contradicted), Rules: one(func(*RuleCase) {})}, Pushback, BecauseContradicted, "", ""},
		"a claim that nothing shows":           {Case{Standing: Writer, Class: Teach, HasDefect: true, Claims: fact(Unproven), Rules: one(func(*RuleCase) {})}, None, BecauseUnproven, "", ""},
		"an unchecked fact, medium":            {Case{Standing: Writer, Class: Teach, HasDefect: true, Severity: finding.Medium, Claims: fact(NotCheckable), Rules: one(func(*RuleCase) {})}, Pending, BecauseUnchecked, "", ""},
		"an unchecked fact, low":               {Case{Standing: Writer, Class: Teach, HasDefect: true, Severity: finding.Low, Claims: fact(NotCheckable), Rules: one(func(*RuleCase) {})}, Save, BecauseTaught, "", ""},
		"a comment that was wrong":             {Case{Standing: Writer, Class: Teach, HasDefect: true, About: "false_positive", Claims: fact(Supported), Rules: one(func(*RuleCase) {})}, Save, BecauseTaught, "false_positive", ""},
		"a comment called wrong":               {Case{Standing: Writer, Class: Teach, HasDefect: true, About: "false_positive", Rules: one(func(*RuleCase) {})}, Save, BecauseTaught, "", ""},
		"one comment wrong, shown":             {Case{Standing: Writer, Class: OneOff, HasDefect: true, About: "false_positive", Claims: fact(Supported)}, Dismiss, BecauseWrong, "false_positive", ""},
		"one comment wrong, not shown":         {Case{Standing: Writer, Class: OneOff, HasDefect: true, About: "false_positive"}, Signal, "", "", SignalDisputed},
		"an exception":                         {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: one(func(r *RuleCase) { r.ThisChangeOnly = true })}, None, BecauseException, "", ""},
		"a person's own comment is no silence": {Case{Standing: Writer, Class: Teach, Own: true, Rules: one(func(*RuleCase) {})}, None, "", "", ""},
		"unless asked to remember":             {Case{Standing: Writer, Class: Teach, Own: true, Explicit: true, Rules: one(func(*RuleCase) {})}, Save, BecauseTaught, "", ""},
		"vague":                                {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: one(func(r *RuleCase) { r.Complaints = []rule.Complaint{{Code: "vague"}} })}, None, BecauseVague, "", ""},
		"too specific":                         {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: one(func(r *RuleCase) { r.Complaints = []rule.Complaint{{Code: "specific"}} })}, None, BecauseSpecific, "", ""},
		"a scope that is none":                 {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: one(func(r *RuleCase) { r.Complaints = []rule.Complaint{{Code: "scope"}} })}, None, BecauseLint, "", ""},
		"an active rule again":                 {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: same(rule.Active, "maria")}, Reinforce, BecauseTaught, "", SignalMissed},
		"a dormant rule again":                 {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: same(rule.Dormant, "maria")}, Revive, BecauseTaught, "", ""},
		"a pending rule by a writer":           {Case{Standing: Writer, Class: Teach, HasDefect: true, Rules: same(rule.Pending, "omar")}, Reinforce, BecauseTaught, "", SignalMissed},
		"an active rule by the author":         {Case{Standing: Author, Class: Teach, HasDefect: true, Rules: same(rule.Active, "maria")}, Signal, BecausePermission, "", ""},
		"a conflict, won":                      {Case{By: "omar", Standing: Writer, Class: Teach, HasDefect: true, Rules: against(expertise.Wins)}, Update, BecauseTaught, "", ""},
		"a conflict, lost":                     {Case{By: "omar", Standing: Writer, Class: Teach, HasDefect: true, Rules: against(expertise.Ask)}, Ask, BecauseConflict, "", ""},
		"a conflict, nobody to ask":            {Case{By: "omar", Standing: Writer, Class: Teach, HasDefect: true, Rules: against(expertise.Keep)}, Ask, BecauseConflict, "", ""},
		"the setter corrects":                  {Case{By: "Maria", Standing: Writer, Class: Teach, HasDefect: true, Rules: against(expertise.Keep)}, Update, BecauseTaught, "", ""},
		"a bare no":                            {Case{Standing: Writer, Class: BareNo, HasDefect: true}, Signal, "", "", SignalBareNo},
		"a question":                           {Case{Standing: Writer, Class: Question, HasDefect: true}, None, BecauseQuestion, "", ""},
		"a rule that nobody knows":             {Case{Standing: Writer, Class: Forget}, None, BecauseUnknownRule, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Decide(tt.c)
			type short struct {
				O Outcome
				R Reason
				D string
				S string
			}
			if diff := cmp.Diff(short{tt.want, tt.reason, tt.dismiss, tt.signal}, short{got.Outcome, got.Reason, got.Dismiss, got.Signal}); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever a model fills in, a shielded defect is neither dismissed by words nor
// silenced, orders to the tool leave nothing behind, and a false claim saves
// nothing.
func TestDecideHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kinds := []rule.Kind{rule.Silence, rule.Always}
		c := Case{
			By:        rapid.SampledFrom([]string{"maria", "omar"}).Draw(t, "by"),
			Standing:  rapid.SampledFrom([]Standing{Reader, Unknown, Author, Writer, Maintainer}).Draw(t, "standing"),
			Class:     rapid.SampledFrom(classes).Draw(t, "class"),
			Injection: rapid.Bool().Draw(t, "injection"),
			Own:       rapid.Bool().Draw(t, "own"), Explicit: rapid.Bool().Draw(t, "explicit"),
			HasDefect: rapid.Bool().Draw(t, "defect"), Shielded: rapid.Bool().Draw(t, "shielded"),
			About: rapid.SampledFrom([]string{"", "false_positive", "accepted_risk", "wont_fix"}).Draw(t, "about"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "claims") {
			c.Claims = append(c.Claims, Checked{Claim: Claim{Fact: rapid.Bool().Draw(t, "fact")},
				Verdict: rapid.SampledFrom([]Verdict{NotCheckable, Supported, Contradicted, Unproven}).Draw(t, "verdict")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "rules") {
			r := RuleCase{Draft: silence(), Relation: rapid.SampledFrom([]Relation{Unrelated, Same, Narrower, Wider, Replaces, Contradicts}).Draw(t, "relation")}
			r.Draft.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
			if r.Relation != Unrelated {
				r.Target = silence()
			}
			r.Dispute.Outcome = rapid.SampledFrom([]expertise.Outcome{expertise.Keep, expertise.Ask, expertise.Wins}).Draw(t, "dispute")
			c.Rules = append(c.Rules, r)
		}
		d := Decide(c)
		effect := func(silent bool) bool {
			for _, r := range d.Rules {
				switch r.Outcome {
				case Save, Update, Revive, Reinforce:
					if !silent || r.Draft.Kind == rule.Silence {
						return true
					}
				}
			}
			return false
		}
		forget := c.Class == Forget // takes a rule back, and hides nothing
		switch {
		case c.Shielded && d.Dismiss != "":
			t.Fatalf("a shielded defect is dismissed by words: %+v", d)
		case c.Shielded && !forget && effect(true):
			t.Fatalf("a reply to a shielded defect silences: %+v", d)
		case (c.Injection || c.Class == Injected) && (len(d.Rules) > 0 || d.Dismiss != "" || d.Outcome != Refuse):
			t.Fatalf("orders to the tool lead to %+v", d)
		case !c.Standing.mayWrite() && (d.Dismiss != "" || effect(false)):
			t.Fatalf("somebody who may not write gets %+v", d)
		}
		for _, k := range c.Claims {
			if k.Verdict == Contradicted && c.Class == Teach && (effect(false) || d.Dismiss != "") {
				t.Fatalf("a false claim leads to %+v", d)
			}
		}
	})
}
