package finding

import (
	"strings"
	"testing"
)

func TestNormalizeUnitesTypings(t *testing.T) {
	t.Parallel()
	const plain = "session token compared without constant time check"
	tests := map[string]struct {
		want  string
		typed []string
	}{
		"case, blanks, dashes and punctuation": {plain, []string{
			"Session token compared without constant-time check.",
			"session  token\tcompared\nwithout constant\u2011time check",
			"SESSION TOKEN COMPARED WITHOUT CONSTANT TIME CHECK!",
			"  session token compared \u2014 without constant\u2013time check?! ",
			"session token, compared without (constant-time) check;",
			"session\u00a0token compared without constant time\u200b check",
		}},
		"references to lines": {plain, []string{
			"session token compared without constant-time check (line 42)",
			"session token compared without constant-time check on line 42",
			"on lines 3-7: session token compared without constant time check",
			"session token compared on lines 3 to 7 without constant time check",
			"session token compared without constant time check, lines 3, 5 and 9",
			"session token (lines 3\u20137) compared without constant time check",
			"session token compared without constant time check at line #42",
			"session token compared without constant time check (L42-L47)",
			"session token compared without constant time check (L42)",
			"session token compared without constant time check :42",
			"session token compared without constant time check (:42-47)",
			"see line number 7: session token compared without constant time check",
			"session token compared without constant time check #L42",
		}},
		"a file with a line": {"wrong check in auth.ts", []string{
			"wrong check in auth.ts:42", "Wrong check in auth.ts:42:7",
			"wrong check in auth.ts#L42-L47", "wrong check in auth.ts:42-47.",
		}},
		"a quoted file with a line": {"wrong check in `auth.ts`", []string{
			"wrong check in `auth.ts:42`", "wrong check in `auth.ts`", "wrong check in 'auth.ts'",
		}},
		"negations": {"the lock is not released", []string{
			"the lock isn't released", "The lock isn\u2019t released", "the lock isnt released",
			"the lock is not released",
		}},
		"do not": {"do not log tokens", []string{"don't log tokens", "dont log tokens", "Don\u02bct log tokens"}},
		"can not": {"this can not work", []string{
			"this can't work", "this cannot work", "this can not work", "this cant work", "this can\u2019t work",
		}},
		"will not": {"it will not stop", []string{"it won't stop", "it will not stop"}},
		"its": {"its lock is lost", []string{
			"it's lock is lost", "its lock is lost", "its' lock is lost", "it\u2019s lock is lost",
		}},
		"are and were": {"we are late and were late", []string{"we're late and were late"}},
		"quotes": {"rename `foo` to `bar`", []string{
			`rename "foo" to "bar"`, "rename \u201cfoo\u201d to \u201cbar\u201d",
			"rename 'foo' to 'bar'", "rename \u2018foo\u2019 to \u2018bar\u2019",
			"rename `foo` to `bar`", "rename \u00abfoo\u00bb to \u00abbar\u00bb",
		}},
		"nothing": {"", []string{"", " ", "...", "''", "``", "\"", "`", "(line 4)", "\ufeff"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, claim := range tt.typed {
				if got := Normalize(claim); got != tt.want {
					t.Errorf("Normalize(%q) = %q, want %q", claim, got, tt.want)
				}
			}
		})
	}
}

func TestNormalizeKeepsClaimsApart(t *testing.T) {
	t.Parallel()
	tests := map[string][2]string{
		"back-ticked names":            {"`foo` is never closed", "`bar` is never closed"},
		"the case of a name":           {"`Get` returns nil", "`get` returns nil"},
		"quoted words":                 {`the option "foo" is ignored`, `the option "bar" is ignored`},
		"a quoted word and a plain":    {`the word "not" is dropped`, `the word not is dropped`},
		"numbers":                      {"retries 3 times", "retries 4 times"},
		"a count of lines":             {"the function has 300 lines", "the function has 400 lines"},
		"signs":                        {"returns -1", "returns 1"},
		"decimals":                     {"waits 1.5 seconds", "waits 15 seconds"},
		"issue numbers":                {"regression of #42", "regression of #43"},
		"caches":                       {"misses the L1 cache", "misses the L2 cache"},
		"caches in brackets":           {"misses the cache (L1 only)", "misses the cache (L2 only)"},
		"hosts with ports":             {"connects to example.com:443", "connects to example.com:80"},
		"ports":                        {"listens on :8080", "listens on :9090"},
		"counts after a line":          {"fails on line 4 and 3 callers", "fails on line 4 and 9 callers"},
		"counts after a file":          {"breaks a.go:4 and 3 callers", "breaks a.go:4 and 9 callers"},
		"operators":                    {"compares with ==", "compares with !="},
		"negation":                     {"the lock isn't held", "the lock is held"},
		"calls":                        {"calls close() twice", "calls open() twice"},
		"deadlines are no lines":       {"deadline 42 is too short", "deadline 7 is too short"},
		"contractions are no quotes":   {"it's wrong that users can't log in", "it's fine that admins can't log out"},
		"two contractions, one middle": {"don't read the file if it isn't open", "don't send the mail if it isn't open"},
		"possessives are no quotes":    {"the users' tokens leak to the admins' log", "the users' emails leak to the admins' log"},
	}
	for name, pair := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a, b := Normalize(pair[0]), Normalize(pair[1]); a == b {
				t.Errorf("Normalize(%q) = Normalize(%q) = %q, want two forms", pair[0], pair[1], a)
			}
		})
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{
		"Session token compared without constant-time check (line 42).",
		"don't log `token:42` on lines 3-7, 9 and 12", "line line 4 4", "'a' b's 'c'", "users' \"x` y\" z`",
		"(L42-L47) #L3 :4-5 x.go:1:2-3", "line - 4", "((a)(b))", "'tis it''s we're're", "lines 1, 2 to 3 & 4",
		"line number number 3", "\u0130 \u1e9e \u2212 1", "on line :4 5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, claim string) {
		once := Normalize(claim)
		if twice := Normalize(once); twice != once {
			t.Errorf("Normalize(%q) = %q, but Normalize of that = %q", claim, once, twice)
		}
		if strings.TrimSpace(once) != once || strings.Contains(once, "  ") {
			t.Errorf("Normalize(%q) = %q: stray blanks", claim, once)
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	for b.Loop() {
		Normalize("The session token isn't compared in constant time in `auth.ts:42` (lines 3-7).")
	}
}
