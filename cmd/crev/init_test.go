package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/review"
)

// What init writes is what the documentation shows.
func TestSetupIsTheExamples(t *testing.T) {
	t.Parallel()
	names := func(pattern string) []string {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			found[i] = filepath.Base(found[i])
		}
		return found
	}
	if diff := cmp.Diff(names("../../examples/workflows/*"), names("setup/workflows/*")); diff != "" {
		t.Errorf("files (-examples +setup):\n%s", diff)
	}
	written := map[string]bool{}
	for _, set := range []string{workflowSplit, workflowSingle, workflowFanOut} {
		workflows, err := workflowFiles(set)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range workflows {
			example, err := os.ReadFile(filepath.Join("../../examples/workflows", name))
			if err != nil {
				t.Fatal(err)
			}
			embedded, err := setup.ReadFile(path.Join("setup/workflows", name))
			if err != nil || !bytes.Equal(example, embedded) {
				t.Errorf("%s differs from examples/workflows: %v; copy it to cmd/crev/setup/workflows", name, err)
			}
			written[name] = true
		}
	}
	if total := len(names("setup/workflows/*")); len(written) != total {
		t.Errorf("the sets have %d workflows, the folder %d", len(written), total)
	}
}

// The configuration says what an empty one does, and each of its examples is one.
func TestSetupConfig(t *testing.T) {
	t.Parallel()
	text, err := setup.ReadFile("setup/config.yml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := review.ParseConfig(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(review.DefaultConfig(), got); diff != "" {
		t.Errorf("the configuration changes something (-default +init):\n%s", diff)
	}
	var uncommented bytes.Buffer
	for line := range bytes.Lines(text) {
		key, isComment := bytes.CutPrefix(line, []byte("# "))
		word, rest, isKey := bytes.Cut(key, []byte(":"))
		prose := bytes.Contains(bytes.TrimSpace(word), []byte(" ")) || bytes.HasPrefix(rest, []byte("/"))
		if isComment && isKey && !prose {
			line = key
		}
		uncommented.Write(line)
	}
	got, err = review.ParseConfig(uncommented.Bytes())
	if err != nil {
		t.Fatalf("with its examples switched on: %v\n%s", err, uncommented.Bytes())
	}
	if got.Model.Name == "" || len(got.Builtins) == 0 || len(got.Exclude) == 0 {
		t.Errorf("the examples were not switched on:\n%s", uncommented.Bytes())
	}
}
