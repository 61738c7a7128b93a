package checker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		enabled []string
		want    []string
		fault   string
	}{
		"none":                     {nil, nil, ""},
		"in the order of the list": {[]string{"filter", "recheck", "memory_neg"}, []string{"recheck", "memory_neg", "filter"}, ""},
		"all":                      {Names(), []string{"recheck", "memory_neg", "contract", "requirements", "memory_pos", "filter", "fix"}, ""},
		"the defaults leave fix out": {
			Defaults(), []string{"recheck", "memory_neg", "contract", "requirements", "memory_pos", "filter"}, ""},
		"one that is not there": {[]string{"recheck", "yapi"}, nil,
			`there is no checker "yapi"; there are recheck, memory_neg, contract, requirements, memory_pos, filter, fix`},
		"one twice": {[]string{"fix", "recheck", "fix"}, nil, `checker "fix" is named twice`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cs, err := Select(tt.enabled)
			if fault := message(err); fault != tt.fault {
				t.Fatalf("Select(%q): %q, want %q", tt.enabled, fault, tt.fault)
			}
			if d := cmp.Diff(tt.want, namesOf(cs)); d != "" {
				t.Errorf("Select(%q) -want +got\n%s", tt.enabled, d)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func namesOf(cs []Checker) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Name)
	}
	return out
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	selected := []string{"recheck", "memory_neg", "contract"}
	for name, tt := range map[string]struct {
		options map[string]Options
		want    []string
		fault   string
	}{
		"nothing":         {nil, selected, ""},
		"another order":   {map[string]Options{"recheck": {Order: new(1.7)}}, []string{"memory_neg", "recheck", "contract"}, ""},
		"the same order":  {map[string]Options{"contract": {Order: new(1.0)}}, []string{"recheck", "contract", "memory_neg"}, ""},
		"of one that off": {map[string]Options{"fix": {Order: new(0.0)}}, selected, ""},
		"no checker":      {map[string]Options{"td": {}}, nil, `there is no checker "td"; there are ` + strings.Join(Names(), ", ")},
		"the first fault is reported": {map[string]Options{"td": {}, "fix": {Retries: new(9)}, "zz": {}}, nil,
			"fix: retries: 9; want 0 to 5"},
		"no number":    {map[string]Options{"fix": {Order: new(-1.0)}}, nil, "fix: order: -1; want a number from 0 to 100"},
		"no time":      {map[string]Options{"fix": {When: new(When("now"))}}, nil, `fix: when: "now"; want each_batch or last_batch`},
		"not its time": {map[string]Options{"contract": {When: new(EachBatch)}}, nil, "contract: when: it runs at last_batch and no other time"},
		"no duration":  {map[string]Options{"recheck": {Timeout: new(time.Duration(0))}}, nil, "recheck: timeout: 0s; want a duration such as 60s, at most 1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cs, err := Select(selected)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Configure(cs, tt.options)
			if fault := message(err); fault != tt.fault {
				t.Fatalf("Configure: %q, want %q", fault, tt.fault)
			}
			if d := cmp.Diff(tt.want, namesOf(got)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
	cs, err := Configure(All(), map[string]Options{"fix": {When: new(EachBatch), Retries: new(0), Timeout: new(time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cs, func(c Checker) bool { return c.Name == "fix" })
	want := Checker{Name: "fix", Order: 99, When: EachBatch, Timeout: time.Second}
	if d := cmp.Diff(want, cs[i]); d != "" {
		t.Errorf("a configured checker -want +got\n%s", d)
	}
	if d := cmp.Diff(checkers, All()); d != "" {
		t.Errorf("Configure changed the registry: %s", d)
	}
}

func TestRegistryIsInOrder(t *testing.T) {
	t.Parallel()
	if !slices.IsSortedFunc(All(), func(a, b Checker) int { return int(2 * (a.Order - b.Order)) }) {
		t.Error("the list is not in order")
	}
	hashes := map[string]string{}
	for _, p := range prompts() {
		h := PromptHash(p.name)
		if len(h) != 16 || hashes[h] != "" {
			t.Errorf("PromptHash(%q) = %q, the one of %q or none", p.name, h, hashes[h])
		}
		hashes[h] = p.name
	}
	if h := PromptHash(FilterName); h != "" {
		t.Errorf("filter asks no model and has the prompt %s", h)
	}
}
