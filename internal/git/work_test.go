package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWorkFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, text := range map[string]string{
		".gitignore": "*.o\n", "old.go": "x", "dir/new.go": "x", "a\nb.go": "x", "built.o": "x", "staged.go": "x",
	} {
		full := filepath.Join(f.dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f.git("add", ".gitignore", "old.go")
	f.git("commit", "-q", "-m", "one")
	f.git("add", "staged.go")
	got, err := f.open().WorkFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{".gitignore", "a\nb.go", "dir/new.go", "old.go", "staged.go"}, got); d != "" {
		t.Errorf("WorkFiles (-want +got):\n%s", d)
	}
}
