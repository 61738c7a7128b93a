//go:build unix

package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/model"
)

// The variables by which a child is told what to do.
const (
	childDir  = "CREV_SESSION_TEST_DIR"
	childKill = "CREV_SESSION_TEST_KILL"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir, os.Getenv(childKill)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killed is the plan of the child.
var killed = Plan{
	Batches:  []Planned{{ID: "1", Paths: []string{"a.go"}}, {ID: "2", Paths: []string{"b.go"}}},
	Checkers: []Checker{{"recheck", 1, EachBatch}, {"filter", 98, LastBatch}},
}

// child reviews two batches, one of which the gate refuses once, and writes what
// it came to. After the given number of syncs it kills itself.
func child(dir, kill string) error {
	left, err := strconv.Atoi(kill)
	if err != nil {
		return err
	}
	j, err := open(filepath.Join(dir, "session"), header(killed), "", func() {
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	if err != nil {
		return err
	}
	s, err := j.Session(noon)
	if err != nil {
		return err
	}
	if err := s.Ready(nil, noon); err != nil {
		return err
	}
	m := till{filepath.Join(dir, "paid.log")}
	for {
		switch move := s.Allowed()[0]; move.Step {
		case StepHandOut:
			err = childReview(j, s, m)
		case StepCheck:
			c := &CheckResult{}
			reply, asked := j.Paid(move.Batch, move.Checker, m).Complete(context.Background(), question("q7k2", move.Checker))
			c.Usage = reply.Usage
			if asked != nil {
				return asked
			}
			_, err = s.Check(move.Batch, move.Checker, c, noon)
		case StepReport:
			return childReport(dir, s)
		default:
			return fmt.Errorf("cannot %s in a single thread", move)
		}
		if err != nil {
			return err
		}
	}
}

// childReview asks the same twice for one batch, and what is refused for the
// other.
func childReview(j *Journal, s *Session, m Completer) error {
	task, _, err := s.HandOut(noon)
	if err != nil {
		return err
	}
	p := j.Paid(task.Batch, fmt.Sprint("review/", task.Try), m)
	r := &Result{Verdict: gate.Verdict{Passed: task.Batch != "2" || task.Try > 1, Reasons: []string{"thin"}}}
	questions := []string{"same", "same"}
	if task.Batch == "2" {
		questions = []string{"refuse"}
	}
	if task.Try > 1 {
		questions = append(questions, gate.RetryPrompt(gate.Verdict{Reasons: []string{"thin"}}))
	}
	for _, what := range questions {
		reply, err := p.Complete(context.Background(), question(fmt.Sprintf("f%d", os.Getpid()), what))
		if refused := (&model.Error{Failure: model.Refused}); err != nil && !errors.Is(err, refused) {
			return err
		}
		r.Usage = r.Usage.Plus(reply.Usage)
	}
	_, err = s.Submit(task.Batch, r, noon)
	return err
}

func childReport(dir string, s *Session) error {
	r, err := s.Report()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "report.json"), text, 0o600)
}

// till is a model that notes what it was asked and is paid for.
type till struct{ log string }

func (m till) Complete(_ context.Context, req model.Request) (model.Reply, error) {
	f, err := os.OpenFile(m.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return model.Reply{}, err
	}
	_, err = fmt.Fprintln(f, req.Key())
	if err := errors.Join(err, f.Close()); err != nil {
		return model.Reply{}, err
	}
	if strings.Contains(req.Messages[0].Content, "refuse") {
		return model.Reply{}, &model.Error{Failure: model.Refused, Detail: "no", Requests: 1}
	}
	return model.Reply{JSON: json.RawMessage(`{ "ok": true }`), Usage: model.Usage{Completion: 1}, Requests: 1}, nil
}

// runChild returns whether the child was killed.
func runChild(t *testing.T, dir string, kill int) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childDir+"="+dir, childKill+"="+strconv.Itoa(kill))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGKILL {
			return true
		}
	}
	if err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	}
	return false
}

// TestKilledAtEveryStep kills a review after each thing that it made durable, and
// lets it go on. Nothing is paid for twice, and the end is the same to the byte.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	read := func(dir, name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	whole := t.TempDir()
	runChild(t, whole, 0)
	report, paid := read(whole, "report.json"), read(whole, "paid.log")
	const most = 40 // more steps than the review has
	for step := 1; step <= most; step++ {
		dir := t.TempDir()
		died := runChild(t, dir, step)
		if died {
			runChild(t, dir, 0)
		}
		if got := read(dir, "report.json"); got != report {
			t.Errorf("killed at step %d it ends as\n%s\ninstead of\n%s", step, got, report)
		}
		if got := read(dir, "paid.log"); got != paid {
			t.Errorf("killed at step %d it paid for %d requests instead of %d", step, strings.Count(got, "\n"), strings.Count(paid, "\n"))
		}
		if !died {
			if step < 15 {
				t.Errorf("the review has %d steps only", step)
			}
			return
		}
	}
	t.Errorf("the review has more than %d steps", most)
}
