package validator

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
)

// secretsInDiff finds credentials on changed lines. The message never holds the
// secret: it goes to places that are more public than the code.
func secretsInDiff(f *file, in Input) []Failure {
	var fails []Failure
	for _, s := range finding.Secrets(string(f.data)) {
		start, end := f.line(s.Start), f.line(s.End-1)
		if !in.changed(f.path, start, end) {
			continue
		}
		fails = append(fails, Failure{
			Path: f.path, Line: start, Column: f.column(s.Start),
			Message: fmt.Sprintf("%s in the code; take it out and revoke it", s.Kind),
		})
	}
	return fails
}
