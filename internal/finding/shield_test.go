package finding

import "testing"

func TestShielded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		category string
		severity Severity
		texts    []string
		want     bool
	}{
		"a security label":             {category: "security", want: true},
		"another spelling":             {category: "Data_Loss", want: true},
		"a crash label":                {category: "crash", want: true},
		"a secret label":               {category: "secret", want: true},
		"high severity":                {category: "style", severity: High, want: true},
		"critical severity":            {severity: Critical, want: true},
		"the judge's label":            {category: "style", texts: []string{"security"}, want: true},
		"a weakness identifier":        {category: "style", texts: []string{"see cwe-208"}, want: true},
		"mislabelled injection":        {category: "style", texts: []string{"The name is part of an SQL-injection."}, want: true},
		"mislabelled constant time":    {category: "naming", texts: []string{"token compared without a constant-time check"}, want: true},
		"mislabelled crash":            {category: "naming", texts: []string{"a nil pointer when the list is empty"}, want: true},
		"mislabelled panic":            {category: "style", texts: []string{"this panics on an empty list"}, want: true},
		"mislabelled loss":             {category: "style", texts: []string{"the second write loses the update"}, want: true},
		"mislabelled secret":           {category: "docs", texts: []string{"the example holds a real API key"}, want: true},
		"missing tenant check":         {category: "logic", texts: []string{"bypasses the tenant check"}, want: true},
		"the second text":              {texts: []string{"rename it", "else use-after-free"}, want: true},
		"quoted words count":           {texts: []string{"`password` is logged"}, want: true},
		"style":                        {category: "style", severity: Low, texts: []string{"rename `authMiddleware`"}},
		"medium bug":                   {category: "bug", severity: Medium, texts: []string{"off by one in the page count"}},
		"a word inside another":        {category: "style", texts: []string{"the racecourse secretary's forcefield"}},
		"nothing":                      {},
		"a token that is not a secret": {category: "naming", texts: []string{"name the lexer's token kind"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Shielded(tt.category, tt.severity, tt.texts...); got != tt.want {
				t.Errorf("Shielded(%q, %q, %q) = %v, want %v", tt.category, tt.severity, tt.texts, got, tt.want)
			}
		})
	}
}
