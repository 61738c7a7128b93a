//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
)

// decoys exists on Linux, where escapes are probed.
type decoys struct{}

// Main reports whether the process was started as a part of the sandbox. There
// is none on this system.
func Main([]string) (status int, mine bool) { return 0, false }

func (r *Runner) probe(context.Context) (mode, Report) {
	return mode{}, Report{
		Level:  L1,
		Reason: "there is no sandbox for " + runtime.GOOS + " on " + runtime.GOARCH + "; use Linux on amd64 or arm64, or the action",
	}
}

// run starts the program without layers and ends its process group.
func (b *box) run(ctx context.Context, res Result) Result {
	ctx, cancel := context.WithTimeout(ctx, b.plan.Timeout)
	defer cancel()
	cmd := exec.Command(b.plan.Argv[0], b.plan.Argv[1:]...)
	cmd.Env, cmd.Dir = b.plan.Env, b.plan.Dir
	ownGroup(cmd)
	outR, outW, err := os.Pipe()
	if err != nil {
		res.Err = fmt.Errorf("start %s: %w", b.plan.Argv[0], err)
		return res
	}
	defer outR.Close()
	errR, errW, err := os.Pipe()
	if err != nil {
		outW.Close()
		res.Err = fmt.Errorf("start %s: %w", b.plan.Argv[0], err)
		return res
	}
	defer errR.Close()
	cmd.Stdout, cmd.Stderr = outW, errW
	err = cmd.Start()
	outW.Close()
	errW.Close()
	if err != nil {
		res.Err = fmt.Errorf("%w: %w", ErrNotExecutable, err)
		return res
	}
	var stdout, stderr capture
	var wg sync.WaitGroup
	wg.Go(func() { stdout.readAll(outR, b.plan.Cap) })
	wg.Go(func() { stderr.readAll(errR, b.plan.Cap) })
	stop := context.AfterFunc(ctx, func() { killGroup(cmd.Process) })
	err = cmd.Wait()
	o := outcome{TimedOut: !stop() && errors.Is(ctx.Err(), context.DeadlineExceeded)}
	killGroup(cmd.Process)
	wg.Wait()
	o.Exit = cmd.ProcessState.ExitCode()
	if o.Exit < 0 {
		o.Exit = 128 + 9
	}
	o.Stdout, o.Stderr, o.Cut = stdout.kept, stderr.kept, stdout.cut || stderr.cut
	return b.answer(o, res)
}
