package git

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRaw(t *testing.T) {
	t.Parallel()
	const zero = "0000000000000000000000000000000000000000"
	const a, b = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	meta := func(from, to, status string) string {
		return ":100644 100644 " + from + " " + to + " " + status + "\x00"
	}
	for name, tt := range map[string]struct {
		out  string
		want []Change
		bad  bool
	}{
		"nothing":                    {},
		"one of each":                {out: meta(zero, a, "A") + "new\x00" + meta(a, b, "M") + "a b\n\x00" + meta(b, zero, "D") + "old\x00", want: []Change{{"new", "", a}, {"a b\n", a, b}, {"old", b, ""}}},
		"between commits of a log":   {out: meta(zero, a, "A") + "x\x00\n" + meta(a, b, "M") + "x\x00", want: []Change{{"x", "", a}, {"x", a, b}}},
		"a record without a path":    {out: meta(zero, a, "A"), bad: true},
		"no id":                      {out: meta("0", "z", "A") + "x\x00", bad: true},
		"something else than raw":    {out: "fatal: no\x00x\x00", bad: true},
		"a path where a record goes": {out: meta(zero, a, "A") + "x\x00y\x00", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseRaw(tt.out)
			if (err != nil) != tt.bad {
				t.Fatalf("parseRaw(%q): %v, want an error: %v", tt.out, err, tt.bad)
			}
			if diff := cmp.Diff(tt.want, got); !tt.bad && diff != "" {
				t.Errorf("parseRaw(%q) (-want +got):\n%s", tt.out, diff)
			}
		})
	}
}

func FuzzParseRaw(f *testing.F) {
	f.Add(":100644 100644 1111111111111111111111111111111111111111 0000000000000000000000000000000000000000 D\x00a\x00")
	f.Add("\n")
	f.Fuzz(func(t *testing.T, out string) {
		changes, err := parseRaw(out)
		if err != nil {
			return
		}
		for _, c := range changes {
			if c.Old == "" && c.New == "" {
				continue // git never says so; the caller ignores it
			}
			for _, id := range []string{c.Old, c.New} {
				if id != "" && !IsFullID(id) {
					t.Errorf("parseRaw(%q) has the id %q", out, id)
				}
			}
		}
	})
}

func TestChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a", "1\n")
	f.write("b", "1\n")
	first := f.commit("first")
	f.write("a", "2\n")
	f.commit("second")
	f.write("a", "3\n")
	f.git("rm", "--quiet", "b")
	last := f.commit("third")
	r := f.open()
	blob := func(rev string) string { return f.git("rev-parse", rev) }
	one, two, three := blob(first+":a"), blob(last+"~1:a"), blob(last+":a")
	got, err := r.Changes(t.Context(), first, last)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Change{{"a", one, three}, {"b", one, ""}}, got); diff != "" {
		t.Errorf("Changes (-want +got):\n%s", diff)
	}
	got, err = r.EveryChange(t.Context(), first, last, "a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Change{{"a", two, three}, {"a", one, two}}, got); diff != "" {
		t.Errorf("EveryChange (-want +got):\n%s", diff)
	}
	if got, err := r.EveryChange(t.Context(), last, first); err != nil || len(got) != 0 {
		t.Errorf("EveryChange of nothing = %v, %v", got, err)
	}
}
