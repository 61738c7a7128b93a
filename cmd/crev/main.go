// Crev reviews pull requests with a language model and keeps, in the
// repository itself, what it found, what the team decided and what became of
// every defect. Run "crev help" for its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/crev-ratchet/crev/internal/sandbox"
)

func main() {
	// A script runs in a copy of this program that locks itself in first.
	if status, mine := sandbox.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, world{
		in:  os.Stdin,
		out: os.Stdout,
		err: os.Stderr,
		dir: ".",
		env: os.Getenv,
		now: func() time.Time { return time.Now().UTC().Truncate(time.Second) },
	}, os.Args[1:]))
}
