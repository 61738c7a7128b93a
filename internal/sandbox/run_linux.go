//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// self is this program, also after its file was replaced.
const self = "/proc/self/exe"

// run starts the supervisor, sends it the plan and waits for its answer. The
// supervisor's standard input stays open while the answer is wanted: its end
// tells the supervisor to stop, also when this process dies.
func (b *box) run(ctx context.Context, res Result) Result {
	o, err := b.supervise(ctx)
	if err != nil {
		res.Exit = ExitSetup
		res.Err = fmt.Errorf("%w: %w", ErrSetup, err)
		return res
	}
	return b.answer(o, res)
}

func (b *box) supervise(ctx context.Context) (outcome, error) {
	line, err := json.Marshal(b.plan)
	if err != nil {
		return outcome{}, err
	}
	cmd := exec.Command(self, hiddenArg, partSupervise)
	if b.mode.sudo != "" {
		exe, err := os.Executable()
		if err != nil {
			return outcome{}, err
		}
		cmd = exec.Command(b.mode.sudo, "-n", "--", exe, hiddenArg, partSupervise)
	}
	cmd.Env = append(raceOptions(), "PATH=/usr/bin:/bin")
	if b.plan.Plant != "" {
		cmd.Env = append(cmd.Env, b.plan.Plant)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if b.mode.namespaces {
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return outcome{}, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return outcome{}, err
	}
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	cancel := context.AfterFunc(ctx, func() { stdin.Close() })
	defer cancel()
	// The supervisor holds the deadline; this is for one that is stuck.
	stuck := time.AfterFunc(b.plan.Timeout+2*grace, func() { cmd.Process.Kill() })
	defer stuck.Stop()

	// A supervisor that dies early closes the pipe; its answer says why.
	_, writeErr := stdin.Write(append(line, '\n'))
	// Base64 makes four bytes of three, for two streams and their markers.
	reply, readErr := io.ReadAll(io.LimitReader(stdout, int64(b.plan.Cap)*4+1<<20))
	stdin.Close()
	waitErr := cmd.Wait()

	var o outcome
	if err := json.Unmarshal(reply, &o); err != nil {
		return outcome{}, fmt.Errorf("the supervisor did not answer: %w",
			errors.Join(writeErr, readErr, waitErr, errors.New(firstLine(errs.Bytes(), reply))))
	}
	return o, nil
}

// raceOptions passes the race detector's options on to copies of this program.
// Without them each would wait for a second before it ends.
func raceOptions() []string {
	if race, ok := os.LookupEnv("GORACE"); ok {
		return []string{"GORACE=" + race}
	}
	return nil
}

func firstLine(texts ...[]byte) string {
	for _, t := range texts {
		line, _, _ := bytes.Cut(bytes.TrimSpace(t), []byte("\n"))
		if len(line) > 0 {
			return string(line[:min(len(line), 200)])
		}
	}
	return "no output; does main call sandbox.Main first?"
}
