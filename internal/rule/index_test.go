package rule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/model"
)

// manyRules returns n rules, each about a folder of its own, that share few
// words with the code they are about.
func manyRules(n int) []Rule {
	says := []string{
		"Start goroutines through the errgroup, never bare.",
		"Amounts are whole cents; a float64 never holds money.",
		"Every query that returns rows of a customer names the tenant first.",
		"Copy changes need no test of their own.",
	}
	kinds := []Kind{Always, Silence, Context, Always}
	var rules []Rule
	for i := range n {
		rules = append(rules, Rule{ID: fmt.Sprintf("rule-%04d", i), Kind: kinds[i%4], Says: says[i%4], Category: "naming",
			Scope: Scope{fmt.Sprintf("services/s%04d/**", i)}, Status: Active})
	}
	return rules
}

// TestIndexHoldsEveryApplicableRule is the index against a search: with 20, 200
// and 1,020 records, what applies to a change is in view, because the scope and
// not the words decide.
func TestIndexHoldsEveryApplicableRule(t *testing.T) {
	t.Parallel()
	const budget = 4000
	for _, n := range []int{20, 200, 1020} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			rules := manyRules(n)
			pool := NewPool(rules...)
			for at := 0; at < n; at += 7 {
				file := fmt.Sprintf("services/s%04d/send.go", at)
				ix := NewIndex(pool.Active(day), Query{Paths: []string{file, "README.md"}, Budget: budget})
				if _, ok := ix.Find(rules[at].ID); !ok {
					t.Fatalf("the index of %s lacks %s", file, rules[at].ID)
				}
				if diff := cmp.Diff([]string{rules[at].ID}, ix.Applicable); diff != "" {
					t.Fatalf("Applicable (-want +got):\n%s", diff)
				}
				if got := model.Estimate(ix.String()); got > budget {
					t.Fatalf("%d tokens, and %d is the budget", got, budget)
				}
				if len(ix.Rules)+len(ix.Left) != n {
					t.Fatalf("%d rules shown and %d left of %d", len(ix.Rules), len(ix.Left), n)
				}
			}
			// What the pool lets through fits without leaving any.
			view, _ := pool.Fit(DefaultCaps(), pool.Stats(History{}, day), day)
			ix := NewIndex(view, Query{Budget: budget})
			if len(ix.Left) > 0 {
				t.Errorf("%d of the %d rules in view have no room in %d tokens", len(ix.Left), len(view), budget)
			}
			t.Logf("%d records, %d in view, %d tokens", n, len(view), model.Estimate(ix.String()))
		})
	}
}

func TestIndexOrderDependsOnNothing(t *testing.T) {
	t.Parallel()
	rules := []Rule{literals(), errgroup()}
	a := NewIndex(rules, Query{Paths: []string{"a_test.go"}}).String()
	b := NewIndex([]Rule{errgroup(), literals()}, Query{Paths: []string{"services/b.go"}, Author: "kim"}).String()
	want := "go-errgroup [always concurrency] services/**/*.go: Start goroutines through the errgroup, never bare.\n" +
		"test-literals [silence magic-number] **/*_test.go: Raw numbers are fine in tests; constants are for shipped code.\n"
	if a != want || b != want {
		t.Errorf("the index is\n%s and\n%s, want\n%s", a, b, want)
	}
}

func TestIndexOfAnotherAuthor(t *testing.T) {
	t.Parallel()
	mine := edit(literals(), func(r *Rule) { r.ForAuthor = "kim" })
	if got := NewIndex([]Rule{mine}, Query{Author: "max"}).String(); got != "" {
		t.Errorf("the index of max's pull request is %q", got)
	}
	if got := NewIndex([]Rule{mine}, Query{Author: "Kim"}).String(); !strings.Contains(got, "**/*_test.go by kim") {
		t.Errorf("the index of kim's pull request is %q", got)
	}
}

func TestGenerateIsYAML(t *testing.T) {
	t.Parallel()
	odd := edit(literals(), func(r *Rule) {
		r.ID, r.Status, r.Says, r.FileTypes = "odd", Pending, `Say "a: b" # and {c}, \ or é.`, []string{"go"}
	})
	var got struct {
		Version int
		Rules   []map[string]string
	}
	if err := yaml.Unmarshal(NewPool(odd, errgroup()).Generate(), &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]string{
		{"id": "go-errgroup", "kind": "always", "scope": "services/**/*.go", "says": errgroup().Says},
		{"id": "odd", "kind": "silence", "scope": "**/*_test.go .go", "status": "pending", "says": odd.Says},
	}
	if diff := cmp.Diff(want, got.Rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestRecordNamesNobody(t *testing.T) {
	t.Parallel()
	r, err := Parse(sample(t, "test-literals.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := `test-literals [silence magic-number] **/*_test.go **/testdata/**: Raw numbers are fine in tests; constants are for shipped code.
when: the number is an input or an expected value of the test
except: timeouts and limits that the code under test has a name for
severity: medium
why: A test reads better with the value in it.
breaks the rule:
    const secondsPerDay = 86400
    
    got := Days(secondsPerDay)
follows the rule:
    got := Days(86400)
`
	if diff := cmp.Diff(want, r.Record()); diff != "" {
		t.Errorf("Record (-want +got):\n%s", diff)
	}
}
