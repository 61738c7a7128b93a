package checker

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a request, as a model gets it, with testdata/NAME.golden: a
// change of a prompt is a diff that somebody reads.
func golden(t *testing.T, name string, r model.Request) {
	t.Helper()
	got := fmt.Sprintf("purpose: %s\n\n=== system\n%s", r.Purpose, r.System)
	for _, m := range r.Messages {
		got += fmt.Sprintf("\n=== %s\n%s", m.Role, m.Content)
	}
	got += fmt.Sprintf("\n=== schema %s\n%s\n", r.Schema.Name, r.Schema.JSON)
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: if the change is meant, run go test -update and read the diff (-want +got)\n%s", file, d)
	}
	if _, err := r.Schema.Compile(); err != nil {
		t.Error(err)
	}
}

// candidates are two findings with their code.
func candidates() []Candidate {
	return []Candidate{
		{
			Finding: finding.Finding{Source: "code", Path: "pay/charge.go", StartLine: 12, EndLine: 12, Category: "correctness", Severity: finding.High,
				Claim: "The error of Charge is dropped.", Detail: "A failed charge counts as paid.", Evidence: []string{"err is never read."},
				Criteria: []string{"A failed charge is returned."}},
			Code: "   11  \ttotal := sum(items)\n   12  \t_ = Charge(total)\n   13  \treturn nil\n", Source: "\ttotal := sum(items)\n\t_ = Charge(total)\n\treturn nil\n",
		},
		{
			Finding: finding.Finding{Source: "claims", Path: "pay/name.go", StartLine: 3, EndLine: 3, Category: "naming", Severity: finding.Low,
				Claim: "sum rounds, which its name does not say.", Suggestion: "func roundedSum() int {", Tier: finding.Advisory},
			Code: "    3  func sum() int {\n", Source: "func sum() int {\n",
		},
	}
}

// changed builds a Change from the texts of files at the head, all of whose lines
// are added.
func changed(files map[string]string, order ...string) Change {
	c := Change{
		Text: func(p string) []byte {
			if s, ok := files[p]; ok {
				return []byte(s)
			}
			return nil
		},
		Redact: new(finding.Redactor).Redact,
	}
	for _, p := range order {
		h := diff.Hunk{NewStart: 1}
		for i, l := range linesOf([]byte(files[p])) {
			h.Lines = append(h.Lines, diff.Line{Op: diff.Add, Text: l, New: i + 1})
			h.NewLines++
		}
		c.Files = append(c.Files, &diff.File{NewPath: p, Status: diff.Added, Kind: diff.Text, Hunks: []diff.Hunk{h}})
	}
	return c
}
