package glob

import "testing"

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		scope []string
		path  string
		want  bool
	}{
		"a path matches itself":              {[]string{"app/(auth)/[id]/page.tsx"}, "app/(auth)/[id]/page.tsx", true},
		"brackets before stars":              {[]string{"app/(auth)/[id]/**"}, "app/(auth)/[id]/a/page.tsx", true},
		"catch-all brackets":                 {[]string{"app/[...slug]/*"}, "app/[...slug]/page.tsx", true},
		"a class is still a class":           {[]string{"v[12]/*"}, "v2/a", true},
		"escaped brackets are no class":      {[]string{`v\[12\]/*`}, "v2/a", false},
		"escaped brackets are brackets":      {[]string{`v\[12\]/*`}, "v[12]/a", true},
		"a star stays in its directory":      {[]string{"src/*.go"}, "src/a/b.go", false},
		"two stars do not":                   {[]string{"src/**/*.go"}, "src/a/b.go", true},
		"two stars are none, too":            {[]string{"src/**/*.go"}, "src/b.go", true},
		"braces":                             {[]string{"**/*.{ts,tsx}"}, "a/b.tsx", true},
		"taken out":                          {[]string{"**", "!gen/**"}, "gen/a", false},
		"taken out wherever it stands":       {[]string{"!gen/**", "**"}, "gen/a", false},
		"a name with an exclamation mark":    {[]string{"!important.md"}, "!important.md", true},
		"a dot is a dot":                     {[]string{"a.c"}, "abc", false},
		"hidden files are files":             {[]string{"**"}, ".github/workflows/a.yml", true},
		"a plus sign and a dollar are plain": {[]string{"a+$b/*"}, "a+$b/c", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Match(tc.scope, tc.path); got != tc.want {
				t.Errorf("Match(%q, %q) = %v, want %v", tc.scope, tc.path, got, tc.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		scope []string
		ok    bool
	}{
		"everything":        {[]string{"**"}, true},
		"a name":            {[]string{"app/(auth)/[id]/page.tsx"}, true},
		"some taken out":    {[]string{"**", "!gen/**"}, true},
		"nothing":           {nil, false},
		"all taken out":     {[]string{"!gen/**"}, false},
		"an empty glob":     {[]string{""}, false},
		"a negated nothing": {[]string{"**", "!"}, false},
		"from the root":     {[]string{"/src/**"}, false},
		"out of the root":   {[]string{"../src/**"}, false},
		"two lines":         {[]string{"a\nb"}, false},
		"an open brace":     {[]string{"src/{a,b"}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := Check(tc.scope); (err == nil) != tc.ok {
				t.Errorf("Check(%q) = %v, want ok %v", tc.scope, err, tc.ok)
			}
		})
	}
}
