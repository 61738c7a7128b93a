package validator

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every validator.yaml that the documentation shows can be loaded.
func TestDocumentedValidatorsLoad(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/validators.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	loaded := 0
	for _, b := range blocks {
		yaml := string(b[1])
		if !strings.Contains(yaml, "kind:") {
			continue
		}
		loadOne(t, map[string]string{"validator.yaml": yaml, "check.sh": "#!/bin/sh\n"})
		loaded++
	}
	if loaded < 5 {
		t.Errorf("%d validators in the documentation, want at least 5", loaded)
	}
}
