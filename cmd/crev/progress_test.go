package main

import (
	"log/slog"
	"strings"
	"testing"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	tell := func(p *progress) {
		log := slog.New(p)
		log.Info("batch 1", "files", 3)
		log.Info("::error::a line that\nlooks like more")
		log.Warn("recheck failed")
		log.Info("batch 2, which has a name that is longer than the screen")
		p.done()
		p.done()
	}
	var lines strings.Builder
	tell(newProgress(&lines))
	want := "crev: batch 1 files=3\ncrev: ::error::a line that looks like more\ncrev: note: recheck failed\n" +
		"crev: batch 2, which has a name that is longer than the screen\n"
	if lines.String() != want {
		t.Errorf("lines:\n%q\nwant\n%q", lines.String(), want)
	}

	var screen strings.Builder
	p := newProgress(&screen)
	p.screen.columns = 30
	tell(p)
	want = clearLine + "crev: batch 1 files=3" + clearLine + "crev: ::error::a line that l…" +
		clearLine + "crev: note: recheck failed\n" + clearLine + "crev: batch 2, which has a n…" + clearLine
	if screen.String() != want {
		t.Errorf("on a terminal:\n%q\nwant\n%q", screen.String(), want)
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"": 80, "132": 132, "3": 80, "wide": 80, "-1": 80} {
		if got := columns(in); got != want {
			t.Errorf("columns(%q) = %d, want %d", in, got, want)
		}
	}
}
