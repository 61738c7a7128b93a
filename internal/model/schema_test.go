package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/model"
)

var review = model.Schema{Name: "review", JSON: json.RawMessage(`{
  "type": "object",
  "properties": {
    "findings": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "path": {"type": "string"},
        "severity": {"enum": ["low", "high"]},
        "suggestion": {"type": ["string", "null"]}
      },
      "required": ["path", "severity", "suggestion"],
      "additionalProperties": false
    }}
  },
  "required": ["findings"],
  "additionalProperties": false
}`)}

func TestValidate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reply string
		want  []string // words of the error; none when it fits
	}{
		"none":              {`{"findings":[]}`, nil},
		"one":               {`{"findings":[{"path":"a.go","severity":"high","suggestion":null}]}`, nil},
		"no object":         {`[]`, []string{"the reply", "object"}},
		"null":              {`null`, []string{"the reply"}},
		"empty":             {``, []string{"no JSON"}},
		"cut":               {`{"findings":[`, []string{"no JSON"}},
		"two":               {`{"findings":[]} {"findings":[]}`, []string{"no JSON"}},
		"missing":           {`{}`, []string{"findings"}},
		"not asked for":     {`{"findings":[],"approve":true}`, []string{"approve"}},
		"wrong word":        {`{"findings":[{"path":"a","severity":"meh","suggestion":null}]}`, []string{"/findings/0/severity", "'low'", "'high'"}},
		"several problems":  {`{"findings":[{"path":1,"severity":"low","suggestion":null},{"path":"b","severity":"low"}]}`, []string{"/findings/0/path", "/findings/1", "suggestion"}},
		"name with a break": {`{"findings":[],"a\nb":1}`, []string{`a\nb`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := review.Validate([]byte(tt.reply))
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("Validate(%s) = %v", tt.reply, err)
			}
			if err == nil {
				return
			}
			if _, ok := errors.AsType[*model.Mismatch](err); !ok {
				t.Errorf("Validate(%s) = %T, want a *Mismatch", tt.reply, err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("Validate(%s) = %q, which does not say %q", tt.reply, err, w)
				}
			}
		})
	}
}

// A model that gets everything wrong is told so in a few lines.
func TestMismatchIsShort(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 50 {
		items = append(items, fmt.Sprintf(`{"%s%d":1}`, strings.Repeat("é", 400), i))
	}
	err := review.Validate([]byte(`{"findings":[` + strings.Join(items, ",") + `]}`))
	m, ok := errors.AsType[*model.Mismatch](err)
	if !ok {
		t.Fatalf("Validate() = %v, want a *Mismatch", err)
	}
	if len(m.Problems) != 8 || m.More == 0 || len(err.Error()) > 8*220 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d problems and %d more in %d bytes: %q", len(m.Problems), m.More, len(err.Error()), err)
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"no JSON":        `{`,
		"nothing":        ``,
		"no schema":      `{"type": 7}`,
		"a list":         `[]`,
		"another file":   fmt.Sprintf(`{"$ref": "file://%s"}`, outside),
		"another server": `{"$ref": "https://schemas.example/review.json"}`,
		"a neighbour":    `{"$ref": "other.json"}`,
		"a broken ref":   `{"$ref": "#/$defs/none"}`,
	}
	for name, raw := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := model.Schema{Name: "review", JSON: json.RawMessage(raw)}
			if _, err := s.Compile(); err == nil || !strings.Contains(err.Error(), "schema review") {
				t.Errorf("Compile(%s) = %v, want an error that names the schema", raw, err)
			}
		})
	}
}

func TestPromptHoldsTheSchemaOnOneLine(t *testing.T) {
	t.Parallel()
	lines := strings.Split(review.Prompt(), "\n")
	if len(lines) != 2 || !json.Valid([]byte(lines[1])) {
		t.Errorf("Prompt() = %q, want a sentence and the schema", lines)
	}
}
