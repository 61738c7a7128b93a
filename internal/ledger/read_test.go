package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is a ledger of files.
func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func lines(events ...Event) string {
	var b strings.Builder
	for i := range events {
		b.Write(events[i].Line())
	}
	return b.String()
}

func TestReadAll(t *testing.T) {
	t.Parallel()
	e := script(t, sample(KindOpened), sample(KindPosted), sample(KindPossiblyFixed))
	pack := Pack(e[:2])[0]
	fsys := tree(map[string]string{
		"README.md":                   README,
		"2026-11/29/42-1017-1.jsonl":  lines(e[0], e[1]),
		"2026-11/30/42-1018-1.jsonl":  "\ufeff" + strings.ReplaceAll(lines(e[2], e[2]), "\n", "\r\n"),
		"2026-11/30/0-notes.txt":      "not ours",
		pack.Path:                     string(pack.Data),
		"2026-11/30/empty-1-1.jsonl":  "",
		"2026-11/30/blanks-1-1.jsonl": "\n\n",
	})
	events, problems := ReadAll(fsys)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	if got, want := lines(Sort(events)...), lines(e...); got != want {
		t.Errorf("ReadAll =\n%swant\n%s", got, want)
	}
}

func TestReadAllOfNothing(t *testing.T) {
	t.Parallel()
	for name, fsys := range map[string]fstest.MapFS{"empty": {}, "only a README": tree(map[string]string{"README.md": README})} {
		if events, problems := ReadAll(fsys); len(events)+len(problems) > 0 {
			t.Errorf("%s: %d events, problems %v", name, len(events), problems)
		}
	}
	missing := os.DirFS(filepath.Join(t.TempDir(), "nowhere"))
	if events, problems := ReadAll(missing); len(events)+len(problems) > 0 {
		t.Errorf("a missing folder: %d events, problems %v", len(events), problems)
	}
}

func TestReadAllNamesTheLine(t *testing.T) {
	t.Parallel()
	e := script(t, sample(KindOpened), sample(KindPosted))
	good := lines(e...)
	tests := map[string]struct {
		file string
		line int
		want string
	}{
		"half a line":   {good + good[:40] + "\n" + good, 3, "not an event"},
		"a zero byte":   {good + "\x00\n", 3, "zero byte"},
		"invalid UTF-8": {"\xff\n" + good, 1, "UTF-8"},
		"an edit":       {strings.Replace(good, "variable", "constant", 1), 1, "does not match the content"},
		"a newer event": {strings.Replace(good, `"v":1`, `"v":2`, 1), 1, "newer crev"},
		"a long line":   {good + strings.Repeat("x", MaxLine+10) + "\n" + good, 3, "longer than"},
		"a long end":    {good + strings.Repeat("x", 3*MaxLine), 3, "longer than"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const file = "2026-11/29/42-1-1.jsonl"
			events, problems := ReadAll(tree(map[string]string{file: tt.file}))
			if len(problems) != 1 || problems[0].Path != file || problems[0].Line != tt.line || !strings.Contains(problems[0].String(), tt.want) {
				t.Errorf("problems %v, want one at %s:%d about %q", problems, file, tt.line, tt.want)
			}
			if len(events) == 0 {
				t.Error("the good lines were not read")
			}
		})
	}
}

func TestReadAllStopsAtManyBadLines(t *testing.T) {
	t.Parallel()
	_, problems := ReadAll(tree(map[string]string{"a.jsonl": strings.Repeat("bad\n", 5000)}))
	if n := len(problems); n != maxProblems+1 || !strings.Contains(problems[n-1].Msg, "not read") {
		t.Errorf("%d problems, last %v", n, problems[n-1])
	}
}

func TestReadAllRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := seal(t, sample(KindOpened))
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	for p, text := range map[string]string{outside: lines(e), filepath.Join(dir, "ok.jsonl"): lines(e)} {
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link.jsonl", "folder"} {
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.jsonl"), 0o777); err != nil {
		t.Fatal(err)
	}
	events, problems := ReadAll(os.DirFS(dir))
	if len(events) != 1 {
		t.Errorf("%d events, want the one of the regular file", len(events))
	}
	if len(problems) != 2 || problems[0].Path != "folder" || problems[1].Path != "link.jsonl" ||
		!strings.Contains(problems[1].Msg, "symbolic link") {
		t.Errorf("problems %v, want the two links", problems)
	}
}

func TestPackIsItsName(t *testing.T) {
	t.Parallel()
	e := script(t, sample(KindOpened), sample(KindPosted))
	pack := Pack(e)[0]
	fsys := tree(map[string]string{pack.Path: lines(e[0])})
	if _, problems := ReadAll(fsys); len(problems) != 1 || !strings.Contains(problems[0].Msg, "never edited") {
		t.Errorf("a pack without a line: problems %v", problems)
	}
	crlf := tree(map[string]string{pack.Path: strings.ReplaceAll(string(pack.Data), "\n", "\r\n")})
	if _, problems := ReadAll(crlf); len(problems) > 0 {
		t.Errorf("a pack with CRLF: problems %v", problems)
	}
}

// Hostile sizes are refused before they are in memory. The test is not parallel,
// so that what it allocates is its own.
func TestHostileSizesTakeNoMemory(t *testing.T) {
	dir := t.TempDir()
	huge, err := os.Create(filepath.Join(dir, "huge.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(2 << 30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	huge.Close()
	long, err := os.Create(filepath.Join(dir, "long.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 50 {
		if _, err := long.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	long.Close()

	for name, read := range map[string]func() []Problem{
		"ReadAll": func() []Problem { _, p := ReadAll(os.DirFS(dir)); return p },
		"Tally":   func() []Problem { _, p := Tally(os.DirFS(dir), Ratchet{}); return p },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		problems := read()
		runtime.ReadMemStats(&after)
		if len(problems) != 2 || !strings.Contains(problems[0].Msg, "2147483648 bytes") || !strings.Contains(problems[1].Msg, "longer than") {
			t.Errorf("%s: problems %v", name, problems)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s allocated %d bytes", name, used)
		}
	}
}
