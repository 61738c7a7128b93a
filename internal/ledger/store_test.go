package ledger

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openStore(t *testing.T) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

// files returns the files below dir and their contents.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRunPath(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 23, 30, 0, 0, time.FixedZone("", -3600))
	for run, want := range map[string]string{
		"1017.1":              ".crev/ledger/2026-12/01/42-1017-1.jsonl",
		"r-0611":              ".crev/ledger/2026-12/01/42-r-0611.jsonl",
		"local-20261130-ab.1": ".crev/ledger/2026-12/01/42-local-20261130-ab-1.jsonl",
	} {
		if got := RunPath(42, run, at); got != want {
			t.Errorf("RunPath(42, %q) = %q, want %q", run, got, want)
		}
	}
}

func TestWriteRun(t *testing.T) {
	t.Parallel()
	s, dir := openStore(t)
	e := script(t, sample(KindOpened), sample(KindPosted))

	if p, err := s.WriteRun(42, "1017.1", noon, nil); p != "" || err != nil || len(files(t, dir)) != 0 {
		t.Errorf("WriteRun of no events = %q, %v; files %v", p, err, files(t, dir))
	}
	p, err := s.WriteRun(42, "1017.1", noon, []Event{e[1], e[0], e[1]})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{p: lines(e...), ".crev/ledger/README.md": README}
	check := func(step string) {
		t.Helper()
		got := files(t, dir)
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: %s holds %q, want %q", step, name, got[name], text)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: files %v, want %d", step, got, len(want))
		}
	}
	check("first write")
	if again, err := s.WriteRun(42, "1017.1", noon, e); err != nil || again != p {
		t.Errorf("the same again = %q, %v", again, err)
	}
	check("same again")
	if _, err := s.WriteRun(42, "1017.1", noon, e[:1]); err == nil || !strings.Contains(err.Error(), "written once") {
		t.Errorf("other content: %v, want an error", err)
	}
	check("other content")
	if _, err := s.WriteRun(42, "../../x", noon, e); err == nil {
		t.Error("a run that leaves the folder was written")
	}
	check("hostile run")
}

func TestWriteRunKeepsAnOwnREADME(t *testing.T) {
	t.Parallel()
	s, dir := openStore(t)
	if err := os.MkdirAll(filepath.Join(dir, ".crev/ledger"), 0o777); err != nil {
		t.Fatal(err)
	}
	readme := filepath.Join(dir, ".crev/ledger/README.md")
	if err := os.WriteFile(readme, []byte("ours"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteRun(0, "1.1", noon, script(t, sample(KindOpened))); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir)[".crev/ledger/README.md"]; got != "ours" {
		t.Errorf("README = %q", got)
	}
}

func TestWriteRunSurvivesALeftOver(t *testing.T) {
	t.Parallel()
	s, dir := openStore(t)
	day := filepath.Join(dir, ".crev/ledger/2026-11/29")
	if err := os.MkdirAll(day, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(day, ".0-1-1.jsonl.0.tmp"), []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	e := script(t, sample(KindOpened))
	p, err := s.WriteRun(0, "1.1", noon, e)
	if err != nil || files(t, dir)[p] != lines(e...) {
		t.Errorf("beside the left-over of a killed run: %q, %v", p, err)
	}
}

func TestStoreFollowsNoLinks(t *testing.T) {
	t.Parallel()
	for _, linked := range []string{".crev", ".crev/ledger", ".crev/ledger/2026-11", ".crev/ledger/2026-11/29"} {
		s, dir := openStore(t)
		target := filepath.Join(dir, "elsewhere")
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(linked)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(target, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, linked)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		_, err := s.WriteRun(0, "1.1", noon, script(t, sample(KindOpened)))
		if err == nil || !strings.Contains(err.Error(), linked+" is a symbolic link") {
			t.Errorf("through %s: %v, want a refusal", linked, err)
		}
		if got := files(t, target); len(got) > 0 {
			t.Errorf("through %s: wrote %v", linked, got)
		}
	}
}

func TestStorePack(t *testing.T) {
	t.Parallel()
	s, dir := openStore(t)
	var all []Event
	day := func(n int, run string) time.Time {
		at := noon.AddDate(0, 0, n)
		e := seal(t, with(KindOpened, func(e *Event) { e.At, e.Run = at, run }))
		all = append(all, e)
		if _, err := s.WriteRun(42, run, at, []Event{e}); err != nil {
			t.Fatal(err)
		}
		return at
	}
	day(-60, "1.1")
	day(-40, "2.1")
	recent := day(0, "3.1")

	done, err := s.Pack(recent)
	if err != nil {
		t.Fatal(err)
	}
	if done.Events != 2 || len(done.Packs) != 1 || len(done.Removed) != 2 {
		t.Errorf("Pack = %+v, want two events in one pack", done)
	}
	got := files(t, dir)
	if len(got) != 3 { // README, the pack, the recent run
		t.Errorf("files after packing: %v", got)
	}
	fsys, err := s.FS()
	if err != nil {
		t.Fatal(err)
	}
	events, problems := ReadAll(fsys)
	if len(problems) > 0 || lines(Sort(events)...) != lines(Sort(all)...) {
		t.Errorf("after packing: %d events, problems %v; want %d", len(events), problems, len(all))
	}
	if again, err := s.Pack(recent); err != nil || again.Events != 0 {
		t.Errorf("packing again = %+v, %v", again, err)
	}
}

func TestStorePackRefusesABrokenLedger(t *testing.T) {
	t.Parallel()
	s, dir := openStore(t)
	e := seal(t, sample(KindOpened))
	if _, err := s.WriteRun(42, "1.1", noon, []Event{e}); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, ".crev/ledger/2026-11/29/42-2-1.jsonl")
	if err := os.WriteFile(bad, []byte("half a li"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	if _, err := s.Pack(noon.AddDate(0, 0, 1)); err == nil || !strings.Contains(err.Error(), "42-2-1.jsonl:1") {
		t.Errorf("Pack of a broken ledger: %v", err)
	}
	if len(files(t, dir)) != len(before) {
		t.Errorf("files %v, want %v", files(t, dir), before)
	}
}

func TestPackCutsAtItsSize(t *testing.T) {
	t.Parallel()
	e := script(t, sample(KindOpened), sample(KindPosted), sample(KindPossiblyFixed))
	packs := packAt(e, len(e[0].Line())+len(e[1].Line()))
	var joined string
	for _, p := range packs {
		joined += string(p.Data)
	}
	if len(packs) != 2 || joined != lines(e...) {
		t.Errorf("%d packs of\n%swant 2 of\n%s", len(packs), joined, lines(e...))
	}
	if again := packAt([]Event{e[2], e[0], e[1], e[0]}, len(e[0].Line())+len(e[1].Line())); again[0].Path != packs[0].Path {
		t.Errorf("another order gives %s, want %s", again[0].Path, packs[0].Path)
	}
	if got := Pack(nil); len(got) != 0 {
		t.Errorf("Pack(nil) = %v", got)
	}
}
