package relocate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
)

// BenchmarkLocate follows 10,000 defects over a change of 300 files, as after a
// large pull request.
func BenchmarkLocate(b *testing.B) {
	const files, places = 300, 10_000
	change := Change{}
	for i := range files {
		var old strings.Builder
		fmt.Fprintf(&old, "package p%d\n\n", i)
		for f := range 10 {
			fmt.Fprintf(&old, "func handle%d_%d(w Writer, r *Request) error {\n", i, f)
			for s := range 12 {
				fmt.Fprintf(&old, "\tvalue%d, err := store.Load(r.Context(), %d, r.Header(\"X-%d\"))\n\tif err != nil {\n\t\treturn fail(w, %d, err)\n\t}\n", s, f*s, i, s)
			}
			old.WriteString("\treturn nil\n}\n\n")
		}
		text := old.String()
		// A function in ten is edited, one moves to the end of the file.
		moved := between(text, fmt.Sprintf("func handle%d_7", i), fmt.Sprintf("func handle%d_8", i))
		now := strings.Replace(text, moved, "", 1) + moved
		for f := 0; f < 10; f += 5 {
			now = strings.Replace(now, fmt.Sprintf("store.Load(r.Context(), %d,", f*3), fmt.Sprintf("store.LoadAll(r.Context(), now, %d,", f*3), 1)
		}
		path := fmt.Sprintf("p%d/handle.go", i)
		change.Files = append(change.Files, File{OldPath: path, NewPath: path, Old: Bytes([]byte(text)), New: Bytes([]byte(now))})
	}
	b.ReportAllocs()
	for b.Loop() {
		m := New(change, Options{})
		gone := 0
		for k := range places {
			f := change.Files[k%files]
			a, err := m.Locate(finding.Location{Path: f.OldPath, Start: 3 + (k/files)*37%480})
			if err != nil {
				b.Fatal(err)
			}
			if a.How == Gone {
				gone++
			}
		}
		b.ReportMetric(float64(gone), "gone")
	}
}
