package rule

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/finding"
)

// day is the day on which the tests are.
var day = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// errgroup is the record of DESIGN: a rule that asks for something.
func errgroup() Rule {
	return Rule{
		ID: "go-errgroup", Kind: Always, Says: "Start goroutines through the errgroup, never bare.",
		Scope: Scope{"services/**/*.go"}, Category: "concurrency", Status: Active,
		Why:    "A bare goroutine outlives the request and loses its error.",
		Breaks: "go sendReceipt(order)", Follows: "g.Go(func() error { return sendReceipt(ctx, order) })",
		Cites: []Citation{{Path: "internal/run/group.go", Line: 14, Commit: "6f882ee"}},
		Learned: []Learned{{From: "https://github.com/acme/shop/pull/42#discussion_r1001", By: "maria", At: "2026-11-02",
			CheckedAgainst: "6f882ee"}},
	}
}

// literals hides something.
func literals() Rule {
	return Rule{
		ID: "test-literals", Kind: Silence, Says: "Raw numbers are fine in tests; constants are for shipped code.",
		Scope: Scope{"**/*_test.go"}, Category: "magic-number", Status: Active,
	}
}

func edit(r Rule, change func(*Rule)) Rule {
	r = r.Clone()
	change(&r)
	return r
}

func TestApplies(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rule         Rule
		path, author string
		want         bool
	}{
		"in scope":               {errgroup(), "services/pay/send.go", "kim", true},
		"another folder":         {errgroup(), "cmd/send.go", "kim", false},
		"another language":       {errgroup(), "services/pay/send.ts", "kim", false},
		"file type":              {edit(errgroup(), func(r *Rule) { r.Scope, r.FileTypes = Scope{"**"}, []string{"go"} }), "a/B.GO", "kim", true},
		"not the file type":      {edit(errgroup(), func(r *Rule) { r.Scope, r.FileTypes = Scope{"**"}, []string{"go"} }), "a/cargo", "kim", false},
		"a type of two parts":    {edit(errgroup(), func(r *Rule) { r.Scope, r.FileTypes = Scope{"**"}, []string{"d.ts"} }), "a/x.d.ts", "kim", true},
		"taken out of the scope": {edit(errgroup(), func(r *Rule) { r.Scope = Scope{"services/**", "!services/old/**"} }), "services/old/a.go", "kim", false},
		"its author":             {edit(errgroup(), func(r *Rule) { r.ForAuthor = "Kim" }), "services/a.go", "kim", true},
		"another author":         {edit(errgroup(), func(r *Rule) { r.ForAuthor = "kim" }), "services/a.go", "max", false},
		"an unknown author":      {edit(errgroup(), func(r *Rule) { r.ForAuthor = "kim" }), "services/a.go", "", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.rule.Applies(tc.path, tc.author); got != tc.want {
				t.Errorf("Applies(%q, %q) = %v, want %v", tc.path, tc.author, got, tc.want)
			}
		})
	}
}

func TestStatusHasTwoAxes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status       Status
		expires      Date
		active       bool
		confirmation Confirmation
		activity     Status
	}{
		"pending":         {Pending, "", false, Unconfirmed, Active},
		"active":          {Active, "", true, Confirmed, Active},
		"on its last day": {Active, "2026-11-30", true, Confirmed, Active},
		"a day too late":  {Active, "2026-11-29", false, Confirmed, Expired},
		"dormant":         {Dormant, "", false, Confirmed, Dormant},
		"disabled":        {Disabled, "", false, TakenBack, Active},
		"superseded":      {Superseded, "", false, Replaced, Active},
		"expired":         {Expired, "", false, Confirmed, Expired},
		"no status":       {"", "", false, Unconfirmed, Active},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := edit(errgroup(), func(r *Rule) { r.Status, r.Expires = tc.status, tc.expires })
			if r.Active(day) != tc.active || r.Confirmation() != tc.confirmation || r.Activity(day) != tc.activity {
				t.Errorf("Active, Confirmation, Activity = %v, %v, %v, want %v, %v, %v",
					r.Active(day), r.Confirmation(), r.Activity(day), tc.active, tc.confirmation, tc.activity)
			}
		})
	}
}

func TestMayHide(t *testing.T) {
	t.Parallel()
	number := finding.Finding{Path: "pay/a_test.go", Category: "magic-number", Severity: finding.Low, Tier: finding.Advisory,
		Claim: "86400 has no name."}
	changed := func(change func(*finding.Finding)) finding.Finding {
		f := number
		change(&f)
		return f
	}
	mine := edit(literals(), func(r *Rule) { r.ForAuthor = "kim" })
	tests := map[string]struct {
		rule Rule
		f    finding.Finding
		j    Judged
		want string // part of the reason, "" when it may
	}{
		"what it is for":               {literals(), number, Judged{}, ""},
		"the judge's label counts":     {literals(), changed(func(f *finding.Finding) { f.Category = "style" }), Judged{Categories: []string{"Magic Number"}}, ""},
		"another category":             {literals(), changed(func(f *finding.Finding) { f.Category = "naming" }), Judged{}, "is about magic-number"},
		"no category":                  {edit(literals(), func(r *Rule) { r.Category = "" }), number, Judged{}, "is about"},
		"out of scope":                 {literals(), changed(func(f *finding.Finding) { f.Path = "pay/a.go" }), Judged{}, "not in the scope"},
		"an always rule":               {edit(literals(), func(r *Rule) { r.Kind = Always }), number, Judged{}, "hides nothing"},
		"a pending rule":               {edit(literals(), func(r *Rule) { r.Status = Pending }), number, Judged{}, "is pending"},
		"security by the finder":       {literals(), changed(func(f *finding.Finding) { f.Category = "security" }), Judged{}, "no rule"},
		"security by the judge":        {literals(), number, Judged{Categories: []string{"Security"}}, "no rule"},
		"a crash by its words":         {literals(), changed(func(f *finding.Finding) { f.Claim = "The index is out of range here." }), Judged{}, "no rule"},
		"a weakness in the evidence":   {literals(), changed(func(f *finding.Finding) { f.Evidence = []string{"see CWE-89"} }), Judged{}, "no rule"},
		"a secret in the judge's text": {literals(), number, Judged{Texts: []string{"It is a hard coded key."}}, "no rule"},
		"high by the finder":           {literals(), changed(func(f *finding.Finding) { f.Severity = finding.High }), Judged{}, "no rule"},
		"critical by the judge":        {literals(), number, Judged{Severities: []finding.Severity{finding.Critical}}, "no rule"},
		"a validator's failure":        {literals(), changed(func(f *finding.Finding) { f.Tier = finding.Validator }), Judged{}, "validator"},
		"worse than it may hide": {edit(literals(), func(r *Rule) { r.Severity = finding.Low }),
			changed(func(f *finding.Finding) { f.Severity = finding.Medium }), Judged{}, "low at most"},
		"as bad as it may hide":             {edit(literals(), func(r *Rule) { r.Severity = finding.Low }), number, Judged{}, ""},
		"one person's rule":                 {mine, number, Judged{}, ""},
		"one person's rule and medium":      {mine, changed(func(f *finding.Finding) { f.Severity = finding.Medium }), Judged{}, "one person's"},
		"one person's rule and an artifact": {mine, changed(func(f *finding.Finding) { f.Tier = finding.Reproduced }), Judged{}, "one person's"},
		"another one's rule":                {edit(mine, func(r *Rule) { r.ForAuthor = "max" }), number, Judged{}, "not in the scope"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ok, why := tc.rule.MayHide(tc.f, tc.j, "kim")
			if ok != (tc.want == "") || !strings.Contains(why, tc.want) {
				t.Errorf("MayHide = %v, %q, want a reason with %q", ok, why, tc.want)
			}
		})
	}
}

// TestNoRuleHidesWhatIsShielded draws rules and findings: whatever a rule says,
// a label or a word of the shield, or a high severity, from anybody, is enough.
func TestNoRuleHidesWhatIsShielded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t)
		r.Status = Active
		f := finding.Finding{
			Path: rapid.SampledFrom([]string{"a.go", "pay/a_test.go", "x/y/z.ts"}).Draw(t, "path"), Category: r.Category,
			Severity: rapid.SampledFrom([]finding.Severity{"", finding.Low, finding.Medium}).Draw(t, "severity"),
			Tier:     rapid.SampledFrom([]finding.Tier{finding.TierUnset, finding.Reproduced, finding.Advisory}).Draw(t, "tier"),
			Claim:    "The name says nothing.",
		}
		var j Judged
		switch rapid.IntRange(0, 6).Draw(t, "shield") {
		case 0:
			f.Category = rapid.SampledFrom([]string{"security", "Crash", "data_loss", "data loss", "secret", "injection"}).Draw(t, "label")
		case 1:
			j.Categories = []string{"naming", rapid.SampledFrom([]string{"security", "panic", "Data-Loss", "secrets"}).Draw(t, "label")}
		case 2:
			f.Severity = rapid.SampledFrom([]finding.Severity{finding.High, finding.Critical}).Draw(t, "worse")
		case 3:
			j.Severities = []finding.Severity{finding.Low, rapid.SampledFrom([]finding.Severity{finding.High, finding.Critical}).Draw(t, "worse")}
		case 4:
			f.Claim = rapid.SampledFrom([]string{"An attacker can read it.", "It may panic.", "It loses data.", "The API key is in the log."}).Draw(t, "claim")
		case 5:
			f.Detail = "This is CWE-79."
		case 6:
			j.Texts = []string{"It crashes when the list is empty."}
		}
		if ok, _ := r.MayHide(f, j, r.ForAuthor); ok {
			t.Fatalf("rule %+v hides %+v judged %+v", r, f, j)
		}
	})
}

// drawRule draws a record that Parse would take.
func drawRule(t *rapid.T) Rule {
	word := rapid.StringMatching(`[a-z]{1,8}`)
	line := rapid.StringMatching(`[A-Za-z"'{}#:&*!|>%@\[\], é本-]{0,40}[a-z.]`)
	text := rapid.StringMatching("[ \t]{0,2}[A-Za-z\"'{}#:&*!|>%@\n\t, -]{0,60}")
	r := Rule{
		ID:         rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,12}`).Draw(t, "id"),
		Kind:       rapid.SampledFrom([]Kind{Silence, Always, Context}).Draw(t, "kind"),
		Says:       line.Draw(t, "says"),
		Scope:      rapid.SliceOfN(rapid.SampledFrom([]string{"**", "*.go", "**/*_test.go", "a/(b)/[c]/**", "x.ts"}), 1, 3).Draw(t, "scope"),
		ForAuthor:  rapid.SampledFrom([]string{"", "kim", "app[bot]"}).Draw(t, "for"),
		FileTypes:  rapid.SliceOfN(rapid.SampledFrom([]string{"go", "ts", "d.ts"}), 0, 2).Draw(t, "types"),
		Category:   rapid.SampledFrom([]string{"", "naming", "magic-number", "security", "null", "true", "1e3"}).Draw(t, "category"),
		Condition:  line.Draw(t, "condition"),
		Exclusion:  line.Draw(t, "exclusion"),
		Severity:   rapid.SampledFrom([]finding.Severity{"", finding.Low, finding.Critical}).Draw(t, "severity"),
		Status:     rapid.SampledFrom([]Status{Pending, Active, Dormant, Disabled, Superseded, Expired}).Draw(t, "status"),
		Why:        text.Draw(t, "why"),
		Breaks:     text.Draw(t, "breaks"),
		Follows:    text.Draw(t, "follows"),
		Source:     rapid.SampledFrom([]Source{"", Reply, Distilled, Manual, Bug}).Draw(t, "source"),
		Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"),
		Expires:    rapid.SampledFrom([]Date{"", "2027-02-28"}).Draw(t, "expires"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "cites") {
		r.Cites = append(r.Cites, Citation{word.Draw(t, "file") + ".go", rapid.IntRange(1, 999).Draw(t, "line"),
			rapid.StringMatching(`[0-9a-f]{7,40}`).Draw(t, "commit"), rapid.SampledFrom([]string{"", "0123456789abcdef"}).Draw(t, "hash")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "lessons") {
		r.Learned = append(r.Learned, Learned{From: line.Draw(t, "from"), By: "maria", At: "2026-11-02",
			CheckedAgainst: rapid.SampledFrom([]string{"", "1234567", "6e88235", "0000000"}).Draw(t, "against")})
	}
	return r
}

func TestMarshalRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t)
		r.normalize()
		if len(r.FileTypes) == 0 {
			r.FileTypes = nil
		}
		if r.Check() != nil {
			return
		}
		text, err := r.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("Parse of what Marshal wrote: %v\n%s", err, text)
		}
		if diff := cmp.Diff(r, got); diff != "" {
			t.Fatalf("round trip (-want +got):\n%s\n%s", diff, text)
		}
	})
}
