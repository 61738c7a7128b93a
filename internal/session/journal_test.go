package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/model"
)

func header(p Plan) Header {
	return Header{Run: "1017.1", Started: noon, Base: "5e0a9c31d0e9", Head: "7a11bce2d0e9", Prompts: "p1", Plan: p, Limits: DefaultLimits}
}

func openAt(t *testing.T, dir string, h Header) *Journal {
	t.Helper()
	j, err := Open(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// counting is a model that answers with how often it was asked.
type counting struct {
	mu  sync.Mutex
	n   int
	err error
}

func (c *counting) Complete(context.Context, model.Request) (model.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.err != nil {
		return model.Reply{}, c.err
	}
	text, err := json.MarshalIndent(map[string]any{"n": c.n, "text": "<&>"}, "", " ")
	return model.Reply{JSON: text, Usage: model.Usage{Completion: c.n}, Requests: 1, Elapsed: 7}, err
}

func ask(t *testing.T, c Completer, fence, text string) model.Reply {
	t.Helper()
	r, err := c.Complete(t.Context(), question(fence, text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func question(fence, text string) model.Request {
	return model.Request{Purpose: "review/code", Model: "m", Fence: fence,
		Messages: []model.Message{{Role: model.User, Content: model.Fenced(fence, "diff", text)}}}
}

func TestPaidOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	j := openAt(t, dir, header(small(2)))
	m := &counting{}
	p := j.Paid("1", "review", m)
	first, second := ask(t, p, "q7k2", "+a"), ask(t, p, "q7k2", "+a")
	other := ask(t, j.Paid("1", "whole", m), "q7k2", "+a")
	outside := ask(t, j.Paid("", "inspect", m), "q7k2", "+a")
	if m.n != 4 {
		t.Errorf("%d requests, want 4: the same request may be asked again on purpose", m.n)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}

	// Another process draws another fence.
	j = openAt(t, dir, header(small(2)))
	again := &counting{}
	p = j.Paid("1", "review", again)
	for name, c := range map[string]struct{ want, got model.Reply }{
		"first":         {first, ask(t, p, "zzzz", "+a")},
		"second":        {second, ask(t, p, "zzzz", "+a")},
		"another scope": {other, ask(t, j.Paid("1", "whole", again), "zzzz", "+a")},
		"no batch":      {outside, ask(t, j.Paid("", "inspect", again), "zzzz", "+a")},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s -want +got\n%s", name, d)
		}
	}
	if again.n != 0 {
		t.Errorf("%d requests were paid for again", again.n)
	}
	if ask(t, p, "zzzz", "+a"); again.n != 1 {
		t.Error("the third time was not asked")
	}
	if ask(t, j.Paid("2", "review", again), "zzzz", "+a"); again.n != 2 {
		t.Error("a reply to one batch was given to another")
	}
}

func TestWhatIsKeptOfFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		kept bool
	}{
		"refused":     {&model.Error{Failure: model.Refused, Status: 200, Detail: "declined", Usage: model.Usage{Prompt: 5}, Requests: 1}, true},
		"bad output":  {&model.Error{Failure: model.BadOutput, Detail: "no JSON", Requests: 3}, true},
		"too long":    {&model.Error{Failure: model.TooLong, Status: 400}, true},
		"unavailable": {&model.Error{Failure: model.Unavailable, Status: 503}, false},
		"budget":      {&model.Error{Failure: model.OverBudget}, false},
		"no key":      {&model.Error{Failure: model.Unauthorized, Status: 401}, false},
		"cancelled":   {&model.Error{Failure: model.TooLong, Cause: context.Canceled}, false},
		"another":     {errors.New("budget: spent"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			j := openAt(t, dir, header(small(1)))
			_, want := j.Paid("1", "review", &counting{err: c.err}).Complete(t.Context(), question("q7k2", "+"))
			if want == nil || want.Error() != c.err.Error() {
				t.Fatalf("Complete() = %v, want %v", want, c.err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			m := &counting{}
			_, err := openAt(t, dir, header(small(1))).Paid("1", "review", m).Complete(t.Context(), question("zzzz", "+"))
			if c.kept {
				if d := cmp.Diff(c.err, err); d != "" || m.n != 0 {
					t.Errorf("%d requests, -want +got\n%s", m.n, d)
				}
			} else if err != nil || m.n != 1 {
				t.Errorf("it was not asked again: %v", err)
			}
		})
	}
}

func TestManyPayAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := openAt(t, dir, header(small(3)))
	m := &counting{}
	var wg sync.WaitGroup
	for i := range 24 {
		p := j.Paid(string(rune('1'+i%3)), "s", m)
		wg.Go(func() {
			if _, err := p.Complete(t.Context(), question("q7k2", strings.Repeat("+", 1+i/3))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = openAt(t, dir, header(small(3)))
	if m.n != 24 || len(j.paid) != 24 {
		t.Errorf("%d requests, %d replies kept; want 24", m.n, len(j.paid))
	}
}

func TestOneWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := openAt(t, dir, header(small(1)))
	if _, err := Open(dir, header(small(1))); !errors.Is(err, ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	openAt(t, dir, header(small(1)))
}

func TestHeaderOfTheFirstRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := header(small(1))
	h.Plan.Batches[0].Paths = []string{"caf\xe9.go"}
	if err := openAt(t, dir, h).Close(); err != nil {
		t.Fatal(err)
	}
	later := h
	later.Run, later.Started = "1017.2", noon.AddDate(0, 0, 1)
	j := openAt(t, dir, later)
	if got := j.Header(); got.Run != "1017.1" || !got.Started.Equal(noon) {
		t.Errorf("Header() = %+v", got)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Header){
		"head":    func(h *Header) { h.Head = "8b22cdf3e1fa" },
		"prompts": func(h *Header) { h.Prompts = "p2" },
		"limits":  func(h *Header) { h.Limits.MaxRetries++ },
		"files":   func(h *Header) { h.Plan = small(2) },
		"a path":  func(h *Header) { h.Plan.Batches = []Planned{{ID: "1", Paths: []string{"caf\xe8.go"}, Lines: 10}} },
	} {
		other := h
		change(&other)
		if _, err := Open(dir, other); err == nil || !strings.Contains(err.Error(), "another review (base 5e0a9c31d0e9, head 7a11bce2d0e9") {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// A torn last line is what a kill leaves. Everything else was broken by somebody.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	whole := func(t *testing.T) (dir, file string) {
		t.Helper()
		dir = t.TempDir()
		j := openAt(t, dir, header(small(1)))
		s, err := j.Session(noon)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(nil, noon); err != nil {
			t.Fatal(err)
		}
		handOut(t, s)
		ask(t, j.Paid("1", "review", &counting{}), "q7k2", "+")
		submit(t, s, "1", good)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		return dir, filepath.Join(dir, "batch-1.jsonl")
	}
	for name, c := range map[string]struct {
		change func(string) string
		// want is the error, "" for none; status is then that of the batch.
		want   string
		status Status
	}{
		"as it was":             {func(s string) string { return s }, "", Completed},
		"a torn last line":      {func(s string) string { return s + `{"n":4,"entr` }, "", Completed},
		"a line without end":    {func(s string) string { return strings.TrimSuffix(s, "\n") }, "", Pending},
		"only half a beginning": {func(string) string { return `{"v":1` }, "", Pending},
		"a line in the middle":  {func(s string) string { return strings.Replace(s, `{"n":2`, `{"m":2`, 1) }, "batch-1.jsonl: line 3: json: unknown field", ""},
		"a line is gone": {func(s string) string {
			lines := strings.SplitAfter(s, "\n")
			return strings.Join(append(lines[:1:1], lines[2:]...), "")
		}, "line 2: it is number 2 where 1 is due", ""},
		"a line twice": {func(s string) string { return s + s[strings.LastIndex(s[:len(s)-1], "\n")+1:] }, "it is number 3 where 4 is due", ""},
		"newer":        {func(s string) string { return strings.Replace(s, `{"v":1`, `{"v":2`, 1) }, "update crev", ""},
		"another plan": {func(s string) string { return strings.Replace(s, `"plan":"`, `"plan":"0`, 1) }, "another plan", ""},
		"other batch":  {func(s string) string { return strings.Replace(s, `"batch":"1"}`, `"batch":"2"}`, 1) }, `the journal of batch "2"`, ""},
		"other entry":  {func(s string) string { return strings.Replace(s, `,"batch":"1"`, `,"batch":"2"`, 2) }, "", ""},
		"nonsense":     {func(string) string { return "hello\n" }, "batch-1.jsonl: line 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file := whole(t)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(c.change(string(text))), 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := Open(dir, header(small(1)))
			if err != nil {
				if c.status != "" || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("Open() = %v, want %q", err, c.want)
				}
				return
			}
			t.Cleanup(func() { _ = j.Close() })
			s, err := j.Session(noon)
			if err != nil || c.status == "" {
				t.Fatalf("it is taken: %v", err)
			}
			if got := s.Snapshot().Batches[0].Status; got != c.status {
				t.Errorf("the batch is %s, want %s", got, c.status)
			}
			// It can be written and read again.
			if err := s.Abandon("budget", noon); err != nil {
				t.Fatal(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			again, err := openAt(t, dir, header(small(1))).Session(noon)
			if err != nil || again.Snapshot().Batches[0].Status != Done {
				t.Errorf("read again: %v", err)
			}
		})
	}
}

func TestMissingRecord(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"batch-2.jsonl": "batch 2 has no record",
		sessionName:     "session.jsonl is missing",
		planName:        "batch-1.jsonl is there without plan.json",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			j := openAt(t, dir, header(small(2)))
			ask(t, j.Paid("1", "s", &counting{}), "q7k2", "+")
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, header(small(2))); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Open() = %v, want %q", err, want)
			}
		})
	}
}

// TestFanOut plans on one machine, reviews each batch on another, and brings the
// journals together.
func TestFanOut(t *testing.T) {
	t.Parallel()
	h := header(small(3))
	plan := t.TempDir()
	if err := openAt(t, plan, h).Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(plan, planName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Join(t.TempDir(), h, "1"); err == nil || !strings.Contains(err.Error(), "crev review --plan") {
		t.Errorf("a batch without a plan: %v", err)
	}
	if _, err := Join(plan, h, "9"); err == nil || !strings.Contains(err.Error(), `no batch "9"`) {
		t.Errorf("a batch that is not planned: %v", err)
	}
	all := t.TempDir()
	put := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(all, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(planName, text)
	put(sessionName, nil)
	for _, id := range []string{"1", "2", "3"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, planName), text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Join(dir, h, id)
		if err != nil {
			t.Fatal(err)
		}
		s, err := j.Session(noon)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(nil, noon); err != nil {
			t.Fatal(err)
		}
		task := handOut(t, s)
		ask(t, j.Paid(task.Batch, "review", &counting{}), "q7k2", "+"+id)
		submit(t, s, id, good)
		if id != "2" { // this machine is killed
			check(t, s, id, "recheck", ran)
			check(t, s, id, "memory_pos", ran)
			if _, err := s.Report(); err != nil {
				t.Errorf("one batch alone: %v", err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 3 { // plan.json, lock and its own file
			t.Errorf("the machine wrote %v, %v", entries, err)
		}
		if id == "3" {
			continue // its artifact is lost
		}
		text, err := os.ReadFile(filepath.Join(dir, fileName(id)))
		if err != nil {
			t.Fatal(err)
		}
		put(fileName(id), text)
	}

	_, err = Open(all, h)
	if lost := (*NoRecordError)(nil); !errors.As(err, &lost) || lost.Batch != "3" {
		t.Errorf("Open() = %v, want a record of batch 3 missed", err)
	}

	// Nobody has reviewed batch 3, so it is reviewed here.
	put("batch-3.jsonl", nil)
	j := openAt(t, all, h)
	s, err := j.Session(noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(nil, noon); err != nil {
		t.Fatal(err)
	}
	var moves []string
	for _, m := range s.Allowed() {
		moves = append(moves, m.String())
	}
	if d := cmp.Diff([]string{"check batch 2 with recheck", "hand out batch 3"}, moves); d != "" {
		t.Errorf("what is left -want +got\n%s", d)
	}
	m := &counting{}
	ask(t, j.Paid("1", "review", m), "zzzz", "+1")
	if m.n != 0 {
		t.Error("a reply that another machine paid for was paid for again")
	}

	// Journals of another plan are refused.
	other := header(small(3))
	other.Head = "8b22cdf3e1fa"
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	o := openAt(t, elsewhere, other)
	ask(t, o.Paid("3", "s", m), "q7k2", "+")
	text, err = os.ReadFile(filepath.Join(elsewhere, "batch-3.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	put("batch-3.jsonl", text)
	if _, err := Open(all, h); err == nil || !strings.Contains(err.Error(), "batch-3.jsonl: it belongs to another plan") {
		t.Errorf("Open() = %v", err)
	}
}

// FuzzParseFile reads whatever a file can hold. What is read renders to what
// reads the same.
func FuzzParseFile(f *testing.F) {
	head := `{"v":1,"plan":"p","batch":"1"}` + "\n"
	f.Add(head)
	f.Add(head + `{"n":1,"entry":{"kind":"handed_out","at":"2026-11-30T12:00:00Z","batch":"1"}}` + "\n")
	f.Add(head + `{"n":1,"paid":{"scope":"review","key":"k","nth":1,"purpose":"p","reply":{"json":{},"usage":{"prompt":1,"completion":2},"requests":1,"elapsed":3}}}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, begun, err := parseFile([]byte(text), "p", "1")
		if err != nil || !begun {
			return
		}
		out := head
		for _, l := range lines {
			b, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			out += string(b) + "\n"
		}
		again, _, err := parseFile([]byte(out), "p", "1")
		if err != nil || len(again) != len(lines) {
			t.Fatalf("what was read does not render: %v\n%s", err, out)
		}
	})
}
