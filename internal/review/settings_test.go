package review

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/gate"
)

func TestConfigWith(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set  []string
		want func(*Config)
		keys []string
	}{
		"nothing": {want: func(*Config) {}},
		"a limit of the gate": {
			set:  []string{"gate.min_effort_coefficient=0.3"},
			want: func(c *Config) { c.Gate.MinEffort = .3 },
			keys: []string{"min_effort_coefficient"},
		},
		"the later one wins": {
			set:  []string{"gate.mode=off", "gate.mode=enforce"},
			want: func(c *Config) { c.Gate.Mode = "enforce" },
			keys: []string{"mode"},
		},
		"several at once": {
			set:  []string{"gate={max_retries: 1, mode: enforce}"},
			want: func(c *Config) { c.Gate.Mode, c.Gate.MaxRetries = "enforce", 1 },
			keys: []string{"max_retries", "mode"},
		},
		"the value of the default is a choice, too": {
			set:  []string{"gate.mode=record"},
			want: func(*Config) {},
			keys: []string{"mode"},
		},
		"a list, a value with =, another part": {
			set: []string{"reviewers=[code]", "model.base_url=http://localhost/v1?a=b", "model.prices={m.1: {prompt: 2}}"},
			want: func(c *Config) {
				c.Reviewers, c.Model.BaseURL = []string{"code"}, "http://localhost/v1?a=b"
				c.Model.Prices = map[string]Price{"m.1": {Prompt: 2}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := DefaultConfig()
			tt.want(&want)
			got, keys, err := DefaultConfig().with(tt.set)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with(%q) (-want +got):\n%s", tt.set, diff)
			}
			if !slices.Equal(keys, tt.keys) {
				t.Errorf("with(%q) sets the keys %q of the gate, want %q", tt.set, keys, tt.keys)
			}
		})
	}
}

func TestConfigWithRefuses(t *testing.T) {
	t.Parallel()
	const list = "docs/configuration.md"
	for setting, want := range map[string]string{
		"gate.mode":              `set "gate.mode": want KEY=VALUE, as gate.mode=enforce`,
		"gate.mode=":             `set "gate.mode=": want KEY=VALUE, as gate.mode=enforce`,
		"=enforce":               `set "=enforce": want KEY=VALUE, as gate.mode=enforce`,
		"gate.mood=enforce":      "set gate.mood: there is no such key; they are in " + list,
		"gates.mode=enforce":     "set gates.mode: there is no such key; they are in " + list,
		"gate.max_retries=often": "set gate.max_retries: the value is of another kind; the keys are in " + list,
		"gate.mode.x=1":          "set gate.mode.x: the value is of another kind; the keys are in " + list,
		"gate.max_retries=-1":    "set gate.max_retries=-1: gate.max_retries: -1; want at least 0",
		"reviewers=[":            "set reviewers: line 1: did not find expected node content",
	} {
		if _, _, err := DefaultConfig().with([]string{setting}); err == nil || err.Error() != want {
			t.Errorf("with(%q) says %q, want %q", setting, err, want)
		}
	}
}

// What a run was told wins over the base, and that over the defaults.
func TestOriginsOfLimits(t *testing.T) {
	t.Parallel()
	base := DefaultConfig()
	base.Gate.Mode, base.Gate.MaxRetries = "enforce", 7
	told, keys, err := base.with([]string{"gate.max_retries=1", "gate.min_content_length=0"})
	if err != nil {
		t.Fatal(err)
	}
	limits, origins := gate.Resolve(gate.Chosen(told.Gate.Thresholds(), keys), gate.Differing(base.Gate.Thresholds()))
	if want := told.Gate.Thresholds(); limits != want {
		t.Errorf("limits are %+v, want %+v", limits, want)
	}
	got := map[string]string{}
	for _, o := range origins {
		got[o.Key] = o.From
	}
	want := map[string]string{
		"mode": "config", "max_retries": "run", "min_content_length": "run", "effort_unit": "default",
		"min_effort_coefficient": "default", "min_density_coefficient": "default",
		"lines_per_expected_finding": "default", "high_risk_needs_suggestion": "default",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
}
