package validator

import (
	"context"
	"os"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/crev-ratchet/crev/internal/sandbox"
)

func TestMain(m *testing.M) {
	if status, mine := sandbox.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// testRunner is probed once for all tests; it is safe for all of them.
var testRunner = sync.OnceValue(func() *sandbox.Runner {
	return sandbox.New(context.Background(), sandbox.Options{Path: "/usr/local/bin:/usr/bin:/bin"})
})

// runner returns a Runner, or skips where this machine has no sandbox.
func runner(t testing.TB) *sandbox.Runner {
	t.Helper()
	r := testRunner()
	if rep := r.Report(); rep.Level < sandbox.L2 {
		t.Skipf("no sandbox here: %s", rep.Reason)
	}
	return r
}

// tree makes a file system from a map of paths to contents.
func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return fsys
}

// input makes the input for a tree of all its files.
func input(files map[string]string) Input {
	in := Input{Tree: tree(files)}
	for name := range files {
		in.Files = append(in.Files, name)
	}
	return in
}

// loadOne loads the validator v of a folder's files and fails on a problem.
func loadOne(t testing.TB, files map[string]string) Validator {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys["v/"+name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	vs, problems := Load(fsys)
	if len(problems) > 0 || len(vs) != 1 {
		t.Fatalf("Load: %d validators, problems %v", len(vs), problems)
	}
	return vs[0]
}
