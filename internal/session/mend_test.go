package session

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A folder that several machines filled can be collected, whatever they sent.
func TestMend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got, err := Mend(dir); err == nil || err.Error() != "collect session "+dir+": there is no plan.json; bring it from where the plan was made" {
		t.Errorf("Mend of an empty folder = %q, %v", got, err)
	}
	h := header(small(5))
	j := openAt(t, dir, h)
	s, err := j.Session(noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(nil, noon); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.HandOut(noon); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	begun, err := os.ReadFile(filepath.Join(dir, "batch-1.jsonl"))
	if err != nil || len(begun) == 0 {
		t.Fatalf("batch 1 was handed out, and its journal is %q, %v", begun, err)
	}
	hash := j.Header().Hash
	for name, text := range map[string]string{
		"batch-2.jsonl": `{"v":1,"plan":"aa","batch":"2"}` + "\n",
		"batch-3.jsonl": "no journal\n",
		// An entry that its state does not allow.
		"batch-4.jsonl": `{"v":1,"plan":"` + hash + `","batch":"4"}` + "\n" + `{"n":1,"entry":{"kind":"checked","at":"2026-11-30T12:00:00Z","batch":"4"}}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "batch-5.jsonl")); err != nil {
		t.Fatal(err)
	}

	wrong, err := Mend(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"batch 2 cannot be used: it belongs to another plan (aa, this one is " + hash[:12] + ")",
		"batch 3 cannot be used: line 1: invalid character 'o' in literal null (expecting 'u')",
		"batch 4 cannot be used: batch 4: \"checked\" is not allowed while it is pending",
		"batch 5 has no record; bring its batch-5.jsonl, or review it with `crev review --batch 5`",
	}
	if d := cmp.Diff(want, wrong); d != "" {
		t.Errorf("Mend() -want +got\n%s", d)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "batch-3.jsonl.unusable")); err != nil || string(kept) != "no journal\n" {
		t.Errorf("what was taken out is %q, %v", kept, err)
	}

	// What could be used is there, and the folder opens.
	j = openAt(t, dir, h)
	s, err = j.Session(noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range s.Snapshot().Batches {
		if b.Status != Pending {
			t.Errorf("batch %s is %s, want it pending", b.ID, b.Status)
		}
	}
	kept, err := os.ReadFile(filepath.Join(dir, "batch-1.jsonl"))
	if err != nil || !bytes.HasPrefix(kept, begun) {
		t.Errorf("batch 1 was sound, and its journal is %q, %v; want it to begin with %q", kept, err, begun)
	}
}
