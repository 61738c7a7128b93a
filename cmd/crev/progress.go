package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// progress is a slog.Handler that says what a run is doing: one plain line a
// step for logs and pipes, and on a terminal one line that moves. Notes stay in
// both. No line begins like a workflow command.
type progress struct {
	screen *screen
	attrs  []slog.Attr
}

// screen is where the lines go. It is shared by the handlers made from one.
type screen struct {
	mu sync.Mutex
	w  io.Writer
	// columns is the width of the terminal, 0 where w is none.
	columns int
	// moving says that the last line will be written over.
	moving bool
}

// newProgress returns a handler that writes lines.
func newProgress(w io.Writer) *progress { return &progress{screen: &screen{w: w}} }

// newTerminalProgress returns a handler that writes one moving line where w is a
// terminal that can take it, and lines elsewhere.
func newTerminalProgress(w io.Writer, env func(string) string) *progress {
	p := newProgress(w)
	if isTerminal(w) && env("TERM") != "dumb" {
		p.screen.columns = columns(env("COLUMNS"))
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// usualColumns is the width of a terminal that does not tell.
const usualColumns = 80

func columns(s string) int {
	if n, err := strconv.Atoi(s); err == nil && n >= 20 {
		return n
	}
	return usualColumns
}

// done takes the moving line off the screen, so that what follows begins on a
// clean one.
func (p *progress) done() {
	p.screen.mu.Lock()
	defer p.screen.mu.Unlock()
	if p.screen.moving {
		_, _ = io.WriteString(p.screen.w, clearLine) // progress has nobody to report to
		p.screen.moving = false
	}
}

// clearLine goes to the first column and erases to the end of the line.
const clearLine = "\r\x1b[K"

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
	return p.screen.show(b.String(), r.Level >= slog.LevelWarn)
}

// show writes a line that stays, or on a terminal one that moves.
func (s *screen) show(line string, stays bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.columns == 0:
		line += "\n"
	case stays:
		line = clearLine + line + "\n"
	default:
		line = clearLine + clipTo(line, s.columns-1)
	}
	s.moving = s.columns > 0 && !stays
	_, err := io.WriteString(s.w, line)
	return err
}

// clipTo cuts a line to a number of characters.
func clipTo(line string, n int) string {
	if utf8.RuneCountInString(line) <= n {
		return line
	}
	return string([]rune(line)[:n-1]) + "…"
}

// WithAttrs returns a handler that adds attributes to each line.
func (p *progress) WithAttrs(as []slog.Attr) slog.Handler {
	return &progress{screen: p.screen, attrs: append(append([]slog.Attr{}, p.attrs...), as...)}
}

// WithGroup is not used by crev; groups would only lengthen the line.
func (p *progress) WithGroup(string) slog.Handler { return p }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
