package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// progress is a slog.Handler that prints one plain line a step, for people and
// for logs. No line begins like a workflow command.
type progress struct {
	mu    *sync.Mutex
	w     io.Writer
	attrs []slog.Attr
}

func newProgress(w io.Writer) *progress { return &progress{mu: &sync.Mutex{}, w: w} }

// Enabled lets everything but debug lines through.
func (p *progress) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// Handle writes "crev: message key=value".
func (p *progress) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString("crev: ")
	if r.Level >= slog.LevelWarn {
		b.WriteString("note: ")
	}
	b.WriteString(oneLine(r.Message))
	write := func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%s", a.Key, oneLine(a.Value.String()))
		return true
	}
	for _, a := range p.attrs {
		write(a)
	}
	r.Attrs(write)
	b.WriteByte('\n')
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.w, b.String())
	return err
}

// WithAttrs returns a handler that adds attributes to each line.
func (p *progress) WithAttrs(as []slog.Attr) slog.Handler {
	return &progress{mu: p.mu, w: p.w, attrs: append(append([]slog.Attr{}, p.attrs...), as...)}
}

// WithGroup is not used by crev; groups would only lengthen the line.
func (p *progress) WithGroup(string) slog.Handler { return p }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
