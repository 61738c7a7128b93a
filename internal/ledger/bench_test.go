package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
)

// million is the size of the ledger that the figures in docs/benchmarks.md are
// about: 20,000 classes seen by 60,000 runs of 20,000 pull requests.
const million = 1_000_000

// drawEvent returns event i of a made-up ledger without sealing it: mostly
// sightings, as a team's own is.
func drawEvent(i int) Event {
	class := i * 7919 % 20_000
	run := i * 60_000 / million
	path := fmt.Sprintf("services/s%02d/internal/pkg%03d/file%d.go", class%40, class%400, class%13)
	claim := fmt.Sprintf("The handler %d does not close the response body when the request fails early", class)
	fp := finding.Class(path, "", "", "", claim)
	return Event{
		FP: fp, Run: fmt.Sprintf("%d.1", 100_000+run), PR: 1 + run/3, At: noon.Add(time.Duration(i) * 13 * time.Second),
		By: "code", Defect: NewDefectID(fp, fmt.Sprint(run/3)),
		Payload: Payload{Opened: &Opened{
			FP0: finding.FP0(path, claim), Claim: claim, Category: "resource", Severity: finding.Medium,
			Tier: finding.Advisory, Source: "code",
			Locations: []finding.Location{{Path: path, Start: 10 + i%300, End: 12 + i%300, Symbol: "handle"}},
		}},
	}
}

// writeEvents writes n events to packs below dir, with valid ids.
func writeEvents(tb testing.TB, dir string, n int) {
	tb.Helper()
	const perFile = 50_000
	var f *os.File
	for i := range n {
		if i%perFile == 0 {
			name := filepath.Join(dir, fmt.Sprintf("2026-11/%02d/0-r%d-1.jsonl", 1+i/perFile, i))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				tb.Fatal(err)
			}
			var err error
			if f, err = os.Create(name); err != nil {
				tb.Fatal(err)
			}
			defer f.Close()
		}
		e := drawEvent(i)
		e.V = Version
		line, err := e.encode()
		if err != nil {
			tb.Fatal(err)
		}
		e.ID = hashID(line)
		if _, err := f.Write(e.Line()); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkTally1M counts a million events. CREV_BENCH_DIR keeps the ledger, so
// that another program can count the same files.
func BenchmarkTally1M(b *testing.B) {
	dir := os.Getenv("CREV_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	if entries, _ := os.ReadDir(dir); len(entries) == 0 {
		writeEvents(b, dir, million)
	}
	b.ReportAllocs()
	for b.Loop() {
		classes, problems := Tally(os.DirFS(dir), Ratchet{})
		if len(classes) != 20_000 || len(problems) > 0 {
			b.Fatalf("%d classes, problems %v", len(classes), problems)
		}
	}
}

// BenchmarkFold100k folds a hundred thousand events of 5,000 defects that were
// opened, seen, moved, fixed and verified.
func BenchmarkFold100k(b *testing.B) {
	var events []Event
	kinds := []Kind{KindOpened, KindPosted, KindObserved, KindRelocated, KindObserved, KindPossiblyFixed, KindVerification, KindVerified,
		KindReopened, KindObserved, KindRelocated, KindPosted, KindObserved, KindPossiblyFixed, KindVerification, KindVerified,
		KindReviewed, KindSuppressed, KindRuleHit, KindReaction}
	for i := range 100_000 {
		e := sample(kinds[i/5000])
		if e.Defect != "" {
			e.Defect = NewDefectID(classA, fmt.Sprint(i%5000))
		}
		e.PR, e.Run, e.At = 0, fmt.Sprintf("%d.1", i/50), noon.Add(time.Duration(i)*time.Second)
		events = append(events, seal(b, e))
	}
	b.ReportAllocs()
	for b.Loop() {
		if s := Fold(events, View{}); len(s.Defects) != 5000 || len(s.Problems) > 0 {
			b.Fatalf("%d defects, problems %v", len(s.Defects), s.Problems)
		}
	}
}

// BenchmarkAdd writes one finding to a ledger that holds few events or many. It
// must cost the same.
func BenchmarkAdd(b *testing.B) {
	for _, size := range []int{10, million} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			dir := b.TempDir()
			writeEvents(b, filepath.Join(dir, Folder), size)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s, err := OpenStore(dir)
				if err != nil {
					b.Fatal(err)
				}
				e := drawEvent(million + i)
				e.Run = fmt.Sprintf("added-%d", i)
				if _, err := s.WriteRun(0, e.Run, e.At, []Event{seal(b, e)}); err != nil {
					b.Fatal(err)
				}
				s.Close()
				i++
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	e := seal(b, drawEvent(1))
	line := e.Line()
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}
