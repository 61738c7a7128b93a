package review

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// The history of BenchmarkExperts: so many commits, of which the last ones come
// after the cache was written.
const (
	benchCommits = 20_000
	benchNewer   = 50
)

// BenchmarkExperts reads a made-up history of 20,000 commits to 2,000 files: at
// once, and only what came since the cache was written. "git" is git log alone.
func BenchmarkExperts(b *testing.B) {
	r := newHistoryRepo(b)
	load := exec.Command("git", "fast-import", "--quiet")
	load.Dir = r.dir
	in, err := load.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := load.Start(); err != nil {
		b.Fatal(err)
	}
	if err := writeBenchHistory(in); err != nil {
		b.Fatal(err)
	}
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := load.Wait(); err != nil {
		b.Fatal(err)
	}
	head, older := r.git("", "rev-parse", "main"), r.git("", "rev-parse", fmt.Sprintf("main~%d", benchNewer))
	experts := func(head, cache string) *Experts {
		x := r.experts(cache)
		x.Head = head
		return x
	}
	read := func(b *testing.B, x *Experts) {
		b.Helper()
		if _, err := x.Graph(b.Context(), time.Time{}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			log := exec.Command("git", "log", "--name-status", "-M100%", head)
			log.Dir, log.Stdout = r.dir, io.Discard
			if err := log.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			read(b, experts(head, ""))
		}
	})
	b.Run("newer", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			cache, err := os.MkdirTemp(b.TempDir(), "")
			if err != nil {
				b.Fatal(err)
			}
			read(b, experts(older, cache))
			b.StartTimer()
			read(b, experts(head, cache))
		}
	})
}

// writeBenchHistory writes commits for git fast-import: one a step, each to
// three files, with a rename now and then, by 200 people.
func writeBenchHistory(w io.Writer) error {
	out := bufio.NewWriter(w)
	names := make([]string, 2000)
	for i := range names {
		names[i] = fmt.Sprintf("pkg%02d/part%d/file%04d.go", i%40, i%7, i)
	}
	start := historyNow.Add(-4 * 365 * 24 * time.Hour).Unix()
	for i := range benchCommits {
		fmt.Fprintf(out, "commit refs/heads/main\ncommitter Person %d <p%d@example.com> %d +0000\ndata 6\nchange\n",
			i*i%200, i*i%200, start+int64(i)*6000)
		for k := range 3 {
			at := (i*31 + k*977) % len(names)
			text := fmt.Sprintf("version %d of file %d\n", i, at)
			fmt.Fprintf(out, "M 100644 inline %s\ndata %d\n%s\n", names[at], len(text), text)
		}
		if at := i * 17 % len(names); i%50 == 49 && i > len(names) {
			renamed := fmt.Sprintf("pkg%02d/moved%d/file%04d.go", at%40, i, at)
			fmt.Fprintf(out, "R %s %s\n", names[at], renamed)
			names[at] = renamed
		}
	}
	return out.Flush()
}
