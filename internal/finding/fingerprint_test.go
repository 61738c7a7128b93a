package finding

import (
	"regexp"
	"testing"
)

func TestClass(t *testing.T) {
	t.Parallel()
	const path, claim = "src/api/sessions.ts", "Session token compared without constant-time check"
	base := Class(path, "security", "", "", claim)
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(base) {
		t.Fatalf("Class = %q, want 16 hex digits", base)
	}
	slots := Class(path, "security", "sessionToken", "compared in variable time", claim)

	same := map[string][2]string{
		"another typing":               {base, Class(path, "security", "", "", "session token compared without constant time check (line 9).")},
		"another label":                {base, Class(path, "bug", "", "", claim)},
		"half of the slots":            {base, Class(path, "security", "sessionToken", "", claim)},
		"slots with another claim":     {slots, Class(path, "", "sessiontoken", "compared in variable-time", "Use timingSafeEqual.")},
		"blanks only are no predicate": {base, Class(path, "", "x", " .", claim)},
	}
	for name, p := range same {
		if p[0] != p[1] {
			t.Errorf("%s: classes %s and %s, want one", name, p[0], p[1])
		}
	}
	apart := map[string][2]string{
		"another path":                   {base, Class("src/api/tokens.ts", "security", "", "", claim)},
		"the border of path and claim":   {Class("a", "", "", "", "b c"), Class("a b", "", "", "", "c")},
		"the border of the slots":        {Class("a", "", "b c", "d", ""), Class("a", "", "b", "c d", "")},
		"slots and a claim of that text": {Class("a", "", "b", "c", ""), Class("a", "", "", "", "b c")},
		"class and fp0":                  {base, FP0(path, claim)},
		"two contractions": {
			Class(path, "", "", "", "the lock isn't held while it's written"),
			Class(path, "", "", "", "the file isn't closed while it's written"),
		},
	}
	for name, p := range apart {
		if p[0] == p[1] {
			t.Errorf("%s: one class %s, want two", name, p[0])
		}
	}
}

// Stored fingerprints are compared with fresh ones for years: a change of these
// values is a new version of the normaliser, not a new expectation.
func TestFingerprintsAreFrozen(t *testing.T) {
	t.Parallel()
	const path, claim = "src/api/sessions.ts", "Session token isn't compared in constant-time (line 42)."
	tests := map[string]struct{ got, want string }{
		"class of a claim": {Class(path, "security", "", "", claim), "893fcf0236a0644f"},
		"class of slots":   {Class(path, "security", "sessionToken", "compared in variable time", claim), "47d7e19bbe473d44"},
		"fp0":              {FP0(path, claim), "5ddbbaffa00f5e9c"},
	}
	for name, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s = %s, want %s", name, tt.got, tt.want)
		}
	}
}
