package review

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
)

// BenchmarkReview is a whole review of a large change with a model that answers
// at once: what crev itself takes. cpu-ms is the time of this process and of the
// git commands it ran; the second push changes one file.
func BenchmarkReview(b *testing.B) {
	for _, size := range []struct {
		files, lines int
	}{{300, 67}, {5_000, 40}} {
		b.Run(fmt.Sprintf("files=%d/lines=%d", size.files, size.files*size.lines), func(b *testing.B) {
			repo := largeChange(b, size.files, size.lines)
			for b.Loop() {
				b.StopTimer()
				if err := os.RemoveAll(filepath.Join(repo, ".crev", "ledger")); err != nil {
					b.Fatal(err)
				}
				before := processorTime()
				b.StartTimer()
				first := reviewOnce(b, repo, "HEAD~1")
				b.StopTimer()
				b.ReportMetric(float64((processorTime() - before).Milliseconds()), "cpu-ms")
				second := secondPush(b, repo)
				b.ReportMetric(float64(second)/float64(first), "tokens-second/first")
				b.StartTimer()
			}
			b.ReportMetric(peakMemory(b), "peak-MB")
		})
	}
}

// secondPush changes one file, reviews, takes the change back and returns the
// tokens.
func secondPush(b *testing.B, repo string) int {
	path := filepath.Join(repo, "pkg0", "file0.go")
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	write(b, path, strings.Replace(string(text), "return 1\n", "return 2\n", 1))
	run(b, repo, 3, "commit", "-q", "-a", "-m", "one more")
	defer run(b, repo, 3, "reset", "-q", "--hard", "HEAD~1")
	return reviewOnce(b, repo, "HEAD~2")
}

func reviewOnce(b *testing.B, dir, base string) int {
	repo, err := git.Open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	defer repo.Close()
	in := Request{Run: "bench." + strconv.FormatInt(time.Now().UnixNano(), 10), LedgerMode: LedgerLocal, ModelName: "m"}
	if in.Base, err = repo.Resolve(b.Context(), base); err != nil {
		b.Fatal(err)
	}
	if in.Head, err = repo.Resolve(b.Context(), "HEAD"); err != nil {
		b.Fatal(err)
	}
	out, err := Run(b.Context(), in, Deps{
		Repo: repo, Redactor: finding.NewRedactor(), Rand: rand.Reader, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Ledgers: func(context.Context, string) ([]fs.FS, error) {
			store, err := ledger.OpenStore(dir)
			if err != nil {
				return nil, err
			}
			files, err := store.FS()
			return []fs.FS{files}, err
		},
		Connect: func(ModelConfig) (Model, string, error) { return instant{}, "", nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	if out.Report.Conclusion != "passed" {
		b.Fatalf("%s: %s", out.Report.Conclusion, out.Report.Reason)
	}
	return out.Report.PromptTokens
}

// instant answers at once: one finding a batch, and nothing else to say.
type instant struct{}

var firstFile = regexp.MustCompile(`(?m)^\[begin \S+ diff of (\S+)`)

func (instant) Complete(_ context.Context, r model.Request) (model.Reply, error) {
	reply := model.Reply{Usage: model.Usage{Prompt: model.Estimate(r.System) + model.Estimate(r.Messages[0].Content), Completion: 10}, Requests: 1}
	reply.JSON = json.RawMessage(`{"findings":[],"verdicts":[],"points":[]}`)
	if r.Purpose == "review/code" {
		path := firstFile.FindStringSubmatch(r.Messages[0].Content)[1]
		reply.JSON = fmt.Appendf(nil, `{"findings":[{"path":%q,"quote":"return 1","side":"new","start_line":null,"end_line":null,
			"symbol":null,"category":"correctness","severity":"medium","claim":"It always returns 1.","subject":"return","predicate":"constant",
			"detail":"","evidence":[],"criteria":[],"suggestion":null}]}`, path)
	}
	return reply, nil
}

// largeChange makes a repository whose last commit adds lines to many files.
func largeChange(b *testing.B, files, lines int) string {
	dir := b.TempDir()
	run(b, dir, 0, "init", "-q", "-b", "main")
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("pkg%d", i/20), fmt.Sprintf("file%d.go", i)) }
	write(b, filepath.Join(dir, ".crev", "config.yml"), "model: {max_tokens_per_run: 0}\n")
	for i := range files {
		write(b, name(i), fmt.Sprintf("package pkg%d\n\nfunc Old%d() int { return %d }\n", i/20, i, i))
	}
	run(b, dir, 1, "add", "-A")
	run(b, dir, 1, "commit", "-q", "-m", "base")
	for i := range files {
		var t strings.Builder
		fmt.Fprintf(&t, "package pkg%d\n\nfunc Old%d() int { return %d }\n\nfunc New%d(n int) int {\n", i/20, i, i, i)
		for l := range lines - 4 {
			fmt.Fprintf(&t, "\tn += %d // step %d of file %d\n", l*7%13, l, i)
		}
		t.WriteString("\treturn 1\n}\n")
		write(b, name(i), t.String())
	}
	run(b, dir, 2, "commit", "-q", "-a", "-m", "change")
	return dir
}

func write(b *testing.B, path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func run(b *testing.B, dir string, hour int, args ...string) {
	if _, err := (git.Scratch{Dir: dir, Name: "Bench"}).Run(b.Context(), time.Date(2026, 11, 29, hour, 0, 0, 0, time.UTC), args...); err != nil {
		b.Fatal(err)
	}
}

// processorTime is that of this process and of the ones it waited for.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// peakMemory is the most that this process ever held, in MB; 0 where the system
// does not say.
func peakMemory(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kb) / 1024
		}
	}
	return 0
}
