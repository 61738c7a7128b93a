package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/model"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want int
	}{
		"empty":            {"", 0},
		"one letter":       {"a", 1},
		"prose":            {"a decade of bad feedback faced a facade", 13},
		"code":             {"if err := run(ctx); err != nil {\n\treturn err\n}\n", 16},
		"a table of hex":   {"0x1f, 0x2a, 0x3b, 0x4c,\n", 16},
		"a table of bytes": {"12, 250, 7, 99, 128, 4\n", 16},
		"a commit":         {"9b1c22d07e41334cece5d8ab7d10\n", 20},
		"mixed lines":      {"0x1f, 0x2a, 0x3b, 0x4c,\nfunc main() {}\n", 21},
		"a short number":   {"12345\n", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := model.Estimate(tt.text); got != tt.want {
				t.Errorf("Estimate(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestFloor(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want int
	}{
		"empty":        {"", 0},
		"white space":  {" \n\t ", 0},
		"words":        {"one two\tthree\n", 3},
		"end mark":     {"one two.", 3},
		"a field":      {"order.Total", 2},
		"a call":       {"f(x)", 3},
		"digits":       {"1234567", 3},
		"three digits": {"123", 1},
		"operators":    {"a != b", 3},
		"two marks":    {"a::b", 3},
		"accents":      {"été über", 2},
		"one script":   {"発票を丸める", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := model.Floor(tt.text); got != tt.want {
				t.Errorf("Floor(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

// A text that is longer has no fewer tokens, by either count.
func TestCountsGrowWithTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, more := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "more")
		if a, b := model.Floor(text), model.Floor(text+"\n"+more); a > b {
			t.Fatalf("Floor fell from %d to %d", a, b)
		}
		if a, b := model.Estimate(text+"\n"), model.Estimate(text+"\n"+more); a > b {
			t.Fatalf("Estimate fell from %d to %d", a, b)
		}
	})
}

func TestCalibrator(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		observed [][2]int
		want     float64
	}{
		"nothing":           {nil, 1},
		"one":               {[][2]int{{100, 80}}, 0.8},
		"weighed by length": {[][2]int{{100, 100}, {900, 700}}, 0.8},
		"no counts":         {[][2]int{{100, 0}, {0, 100}, {-1, -1}}, 1},
		"absurdly few":      {[][2]int{{1000, 1}}, 0.5},
		"absurdly many":     {[][2]int{{1, 1000}}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c model.Calibrator
			for _, o := range tt.observed {
				c.Observe(o[0], o[1])
			}
			if got := c.Factor(); got != tt.want {
				t.Errorf("Factor() = %v, want %v", got, tt.want)
			}
		})
	}
}
