package rule

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every record that the documentation shows can be read, and every complaint of
// the table is one that the program has.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/memory.md")
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, b := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		if !strings.Contains(string(b[1]), "says:") {
			continue
		}
		if _, err := Parse(b[1]); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
		records++
	}
	if records == 0 {
		t.Error("the documentation shows no record")
	}
	for _, code := range []string{"vague", "specific", "person", "scope", "instruction", "url", "markup", "hidden", "unbounded", "shielded"} {
		if !strings.Contains(string(text), "`"+code+"`") {
			t.Errorf("the documentation does not name the complaint %s", code)
		}
	}
}
