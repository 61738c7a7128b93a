package validator

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crev-ratchet/crev/internal/glob"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		yaml string
		want Validator
	}{
		"a pattern with all that is common": {
			yaml: "version: 1\nsays: Use it.\nkind: pattern\nscope: [a/**, '!a/b']\npromotes: [334cece5d8ab7d10]\ntimeout: 5s\nin: changed_lines\nmust_not: x\n",
			want: Validator{Name: "v", Says: "Use it.", Kind: Pattern, Scope: []string{"a/**", "!a/b"}, Promotes: []string{"334cece5d8ab7d10"}, Timeout: 5 * time.Second, In: ChangedLines},
		},
		"a script with the defaults, a byte order mark and carriage returns": {
			yaml: "\ufeffsays: Use it.\r\nkind: script\r\nscope: '**'\r\nrun: ./check.sh\r\n",
			want: Validator{Name: "v", Says: "Use it.", Kind: Script, Scope: []string{"**"}, Run: []string{"./check.sh"}, In: WholeTree, Output: Auto},
		},
		"a command": {
			yaml: "says: Lint.\nkind: command\nscope: web/**\nrun: [eslint, -f, sarif]\noutput: sarif\nworking_directory: ./web/\nsandbox: off\n",
			want: Validator{Name: "v", Says: "Lint.", Kind: Command, Scope: []string{"web/**"}, Run: []string{"eslint", "-f", "sarif"}, In: WholeTree, Output: SARIF, Directory: "web", Unsandboxed: true},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := loadOne(t, map[string]string{"validator.yaml": tc.yaml, "check.sh": "#!/bin/sh\n"})
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(Validator{})); diff != "" {
				t.Errorf("Load (-want +got):\n%s", diff)
			}
		})
	}
}

// Everything that is wrong is named with its line, and makes the validator
// broken.
func TestLoadProblems(t *testing.T) {
	t.Parallel()
	const head = "says: s\nkind: pattern\nscope: '**'\n"
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n" + "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
	tests := map[string]struct {
		yaml string
		line int
		want string
	}{
		"empty":                  {"", 0, "it is empty"},
		"a list":                 {"- a\n", 1, "it must be keys and values"},
		"no YAML":                {"says: [\n", 1, "did not find expected node content"},
		"an unknown key":         {head + "must_not: x\nblocks: true\n", 5, `unknown key "blocks"`},
		"a key twice":            {head + "must_not: x\nsays: t\n", 5, `key "says" is there already, on line 1`},
		"a second document":      {head + "must_not: x\n---\nsays: t\n", 5, "there is a second document"},
		"an alias bomb":          {bomb + head, 1, "anchors, aliases"},
		"a merge key":            {"<<: {a: b}\n" + head, 1, "merge keys"},
		"a tag":                  {"says: !!binary aGk=\n", 1, "tags are not read"},
		"deep nesting":           {head + "must_not: " + strings.Repeat("[", 20_000), 4, "exceeded max depth"},
		"larger than 64 KiB":     {head + "must_not: " + strings.Repeat("x", 70_000), 0, "larger than 64 KiB"},
		"a newer version":        {"version: 2\nblocks: yes\n", 1, "version 2: this crev reads version 1"},
		"no sentence":            {"kind: pattern\nscope: a\nmust_not: x\n", 0, "says: write one sentence"},
		"a long sentence":        {"says: " + strings.Repeat("x", 161) + "\nkind: pattern\nscope: a\nmust_not: x\n", 1, "161 characters"},
		"an unknown kind":        {"says: s\nkind: model\nscope: a\n", 2, `kind "model"`},
		"a key of another kind":  {head + "must_not: x\nrun: [./check.sh]\n", 5, `kind pattern has no key "run"`},
		"no scope":               {"says: s\nkind: pattern\nmust_not: x\n", 0, "scope: name the files"},
		"a scope outside":        {"says: s\nkind: pattern\nscope: ../x\nmust_not: x\n", 3, "hold no . or .."},
		"an absolute scope":      {"says: s\nkind: pattern\nscope: /etc/x\nmust_not: x\n", 3, "begin at the repository's root"},
		"an open brace":          {"says: s\nkind: pattern\nscope: 'a/{b'\nmust_not: x\n", 3, "no valid glob"},
		"only exclusions":        {"says: s\nkind: pattern\nscope: '!a'\nmust_not: x\n", 3, "add one that takes some in"},
		"a class of five digits": {head + "promotes: [12345]\nmust_not: x\n", 4, "a class is 16 hex digits"},
		"a time without a unit":  {head + "timeout: 5\nmust_not: x\n", 4, "timeout"},
		"nothing asked":          {head, 0, "a pattern needs must_not, must, files or keys"},
		"a look-ahead":           {head + "must_not: '(?=x)'\n", 4, "no RE2 expression"},
		"a repeat too large":     {head + "must_not: '((a{100}){100}){100}'\n", 4, "no RE2 expression"},
		"the empty text":         {head + "must_not: 'a*'\n", 4, "matches the empty text"},
		"a null":                 {head + "must_not: ~\n", 4, "must_not: write a value"},
		"a key without a path":   {head + "keys: [{must: x}]\n", 4, "it is empty"},
		"a key with nothing":     {head + "keys: [{path: a}]\n", 4, "needs must, must_not or present"},
		"a key with a bad path":  {head + "keys: [{path: 'a[b', present: true}]\n", 4, "a bracket is open"},
		"a script elsewhere":     {"says: s\nkind: script\nscope: a\nrun: [../../etc/x]\n", 4, "name a file of this folder"},
		"an absolute script":     {"says: s\nkind: script\nscope: a\nrun: [/bin/sh]\n", 4, "name a file of this folder"},
		"a Windows path":         {"says: s\nkind: script\nscope: a\nrun: ['C:\\x.exe']\n", 4, "name a file of this folder"},
		"a file of the tree":     {"says: s\nkind: command\nscope: a\nrun: [scripts/lint.sh]\n", 4, "a pull request could change them"},
		"a missing script":       {"says: s\nkind: script\nscope: a\nrun: [./none.sh]\n", 4, "there is no such file"},
		"a linked script":        {"says: s\nkind: script\nscope: a\nrun: [./link.sh]\n", 4, "not a regular file"},
		"a script on PATH":       {"says: s\nkind: script\nscope: a\nrun: [eslint]\n", 4, "write kind: command"},
		"a NUL":                  {"says: s\nkind: script\nscope: a\nrun: [\"a\\0b\"]\n", 4, "holds a NUL"},
		"a directory outside":    {"says: s\nkind: command\nscope: a\nrun: [x]\nworking_directory: ../..\n", 5, "below the repository's root"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vs, problems := Load(fstest.MapFS{
				"v/validator.yaml": {Data: []byte(tc.yaml)},
				"v/check.sh":       {Data: []byte("#!/bin/sh\n")},
				"v/link.sh":        {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777},
			})
			if len(vs) > 0 {
				t.Errorf("loaded %v", vs)
			}
			i := slices.IndexFunc(problems, func(p Problem) bool { return strings.Contains(p.Msg, tc.want) })
			if i < 0 {
				t.Fatalf("problems %v, want one with %q", problems, tc.want)
			}
			want := Problem{Validator: "v", Path: ".crev/validators/v/validator.yaml", Line: tc.line, Msg: problems[i].Msg}
			if diff := cmp.Diff(want, problems[i]); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
			broken := BrokenBy(problems)
			if len(broken) != 1 || broken[0].Status != Broken || broken[0].Passed() || broken[0].Validator != "v" {
				t.Errorf("BrokenBy = %+v", broken)
			}
		})
	}
}

// T46: names that could lead elsewhere, and folders that are none.
func TestLoadFolders(t *testing.T) {
	t.Parallel()
	ok := &fstest.MapFile{Data: []byte("says: s\nkind: pattern\nscope: a\nmust_not: x\n")}
	vs, problems := Load(fstest.MapFS{
		"README.md":                      {Data: []byte("about")},
		"good/validator.yaml":            ok,
		"empty/notes.txt":                {Data: []byte("x")},
		"Upper/validator.yaml":           ok,
		"dot./validator.yaml":            ok,
		"new\nline/validator.yaml":       ok,
		"secrets-in-diff/validator.yaml": ok,
		"linked":                         {Data: []byte("good"), Mode: fs.ModeSymlink | 0o777},
		"inner/validator.yaml":           {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777},
	})
	if len(vs) != 1 || vs[0].Name != "good" {
		t.Errorf("loaded %v", vs)
	}
	var names []string
	for _, p := range problems {
		names = append(names, p.Validator)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"Upper", "dot.", "empty", "inner", "linked", "new\nline", "secrets-in-diff"}, names); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if vs, problems := Load(fstest.MapFS{}); vs != nil || problems != nil {
		t.Errorf("Load of nothing = %v, %v", vs, problems)
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	base := map[string]string{"validator.yaml": "says: s", "lib/x.sh": "y"}
	hash := func(files map[string]string) string {
		t.Helper()
		h, err := Hash(tree(files))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	want := hash(base)
	// What docs/validators.md specifies, written out.
	sum := sha256.Sum256([]byte("8 lib/x.sh\n1 y\n14 validator.yaml\n7 says: s\n"))
	if hex.EncodeToString(sum[:]) != want {
		t.Errorf("Hash = %s, want %x", want, sum)
	}
	if got := hash(map[string]string{"lib/x.sh": "y", "validator.yaml": "says: s", "bad/a": "1", "good/a": "2"}); got != want {
		t.Error("samples change the hash")
	}
	for name, files := range map[string]map[string]string{
		"content":         {"validator.yaml": "says: t", "lib/x.sh": "y"},
		"name":            {"validator.yaml": "says: s", "lib/z.sh": "y"},
		"one file more":   {"validator.yaml": "says: s", "lib/x.sh": "y", "a": ""},
		"border of files": {"validator.yaml": "says: s1 a\n0 ", "lib/x.sh": "y"},
	} {
		if hash(files) == want {
			t.Errorf("%s does not change the hash", name)
		}
	}
	if _, err := Hash(fstest.MapFS{"x": {Data: []byte("y"), Mode: fs.ModeSymlink}}); err == nil {
		t.Error("a link is hashed")
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"says: s\nkind: pattern\nscope: '**'\nmust_not: x\n",
		"says: s\nkind: script\nscope: [a, '!b']\nrun: [./check.sh]\n",
		"says: s\nkind: command\nscope: a\nrun: x\noutput: sarif\nsandbox: off\n",
		"says: s\nkind: pattern\nscope: '*.json'\nkeys: [{path: 'a[0].*', present: false}]\n",
		"a: &a [*a]\n", "<<: x\n", "---\n---\n", "\ufeff", "? [a]\n: b\n", "[[[[", "!!map {a: b}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		vs, problems := Load(fstest.MapFS{"v/validator.yaml": {Data: []byte(s)}, "v/check.sh": {Data: []byte("#!/bin/sh\n")}})
		if len(vs)+len(problems) == 0 || len(vs) == 1 && len(problems) > 0 {
			t.Fatalf("%d validators and problems %v", len(vs), problems)
		}
		for _, v := range vs {
			if v.Says == "" || glob.Check(v.Scope) != nil || v.Timeout < 0 || v.In == "" {
				t.Fatalf("accepted %+v", v)
			}
			// What is accepted can be run.
			if r := Run(t.Context(), v, input(map[string]string{"a": "x"})); r.Status == "" {
				t.Fatalf("no answer from %+v", v)
			}
		}
	})
}
