package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// MaxBlob is the largest file crev reads into memory. GitHub refuses larger
// ones: https://docs.github.com/en/repositories/working-with-files/managing-large-files/about-large-files-on-github
const MaxBlob = 100 << 20

// batch is one long-lived `git cat-file --batch-command`. It is started when
// it is first asked and again after it died. One question is asked at a time.
type batch struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *headBuffer
}

// object returns the contents of an object. spec is an id, or an id followed by
// ^{tree} or the like; kind is its type, or "" for any. The error is ErrNoObject
// when the clone lacks it and ErrTooLarge when it has more than limit bytes
// (MaxBlob when limit is 0).
func (r *Repo) object(ctx context.Context, spec, kind string, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = MaxBlob
	}
	var content []byte
	err := r.ask(ctx, "contents "+spec, func(head objectHead) error {
		if kind != "" && head.kind != kind {
			return r.batch.refuse(head, fmt.Errorf("%s is a %s, not a %s", short(spec), head.kind, kind))
		}
		if head.size > limit {
			return r.batch.refuse(head, fmt.Errorf("%d bytes, more than %d: %w", head.size, limit, ErrTooLarge))
		}
		content = make([]byte, head.size)
		if _, err := io.ReadFull(r.batch.out, content); err != nil {
			return err
		}
		_, err := r.batch.out.Discard(1)
		return err
	})
	if err != nil {
		return nil, err
	}
	return content, nil
}

// maxSkipped is how much of an unwanted answer is read to keep the process;
// above it a new process is cheaper.
const maxSkipped = 4 << 20

// refusal is an error about an answer that was read to its end all the same.
type refusal struct{ error }

// refuse skips the answer that follows head and returns err.
func (b *batch) refuse(head objectHead, err error) error {
	if head.size > maxSkipped {
		return err
	}
	if _, skipErr := b.out.Discard(int(head.size) + 1); skipErr != nil {
		return skipErr
	}
	return refusal{err}
}

// size returns the size of an object without reading it.
func (r *Repo) size(ctx context.Context, id string) (int64, error) {
	var size int64
	err := r.ask(ctx, "info "+id, func(head objectHead) error {
		size = head.size
		return nil
	})
	return size, err
}

// objectHead is the line that begins an answer.
type objectHead struct {
	kind string
	size int64
}

// ask sends one line and hands the head of the answer to read, which must
// consume what follows it or return an error (a refusal does both). When the answer was not read to
// its end, for whatever reason, the process is ended: its output can no longer
// be told apart from the next answer.
func (r *Repo) ask(ctx context.Context, line string, read func(objectHead) error) (err error) {
	b := &r.batch
	timeout := localTimeout
	if r.partial {
		timeout = networkTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.cmd == nil {
		if err := b.start(ctx, r); err != nil {
			return fmt.Errorf("start git cat-file: %w", err)
		}
	}
	stop := context.AfterFunc(ctx, b.cancel)
	defer stop()

	head, err := b.exchange(line)
	if err == nil {
		err = read(head)
	}
	if r, ok := errors.AsType[refusal](err); ok {
		return r.error
	}
	if err == nil || errors.Is(err, ErrNoObject) {
		return err
	}
	said := b.end()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Command: "cat-file", Stderr: r.auth.redact(said), Err: err}
	}
	return err
}

// exchange sends a line and reads the head of the answer.
func (b *batch) exchange(line string) (objectHead, error) {
	if strings.ContainsAny(line, "\n\x00") {
		return objectHead{}, fmt.Errorf("object name %q has a line end", line)
	}
	if _, err := io.WriteString(b.in, line+"\n"); err != nil {
		return objectHead{}, io.ErrUnexpectedEOF
	}
	answer, err := b.out.ReadString('\n')
	if err != nil {
		return objectHead{}, io.ErrUnexpectedEOF
	}
	f := strings.Fields(answer)
	if len(f) == 2 && (f[1] == "missing" || f[1] == "ambiguous") {
		return objectHead{}, fmt.Errorf("%s: %w", short(f[0]), ErrNoObject)
	}
	if len(f) != 3 {
		return objectHead{}, fmt.Errorf("git cat-file said %.200q", answer)
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return objectHead{}, fmt.Errorf("git cat-file said %.200q", answer)
	}
	return objectHead{kind: f[1], size: size}, nil
}

// start starts the process. It outlives ctx.
func (b *batch) start(ctx context.Context, r *Repo) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cmd := r.command(ctx, command{args: []string{"cat-file", "--batch-command"}})
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return err
	}
	stderr := &headBuffer{limit: maxStderr}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		cancel()
		return err
	}
	b.cmd, b.cancel, b.in, b.out, b.stderr = cmd, cancel, in, bufio.NewReaderSize(out, 64<<10), stderr
	return nil
}

// end kills the process and returns what it said on stderr.
func (b *batch) end() string {
	b.in.Close()
	b.cancel()
	b.cmd.Wait()
	said := b.stderr.line()
	b.cmd = nil
	return said
}

// close lets the process end by itself, and kills it when it does not.
func (b *batch) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cmd == nil {
		return nil
	}
	kill := time.AfterFunc(5*time.Second, b.cancel)
	defer kill.Stop()
	b.in.Close()
	err := b.cmd.Wait()
	b.cancel()
	b.cmd = nil
	if err != nil {
		return fmt.Errorf("end git cat-file: %w", err)
	}
	return nil
}
