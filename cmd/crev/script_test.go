package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

var update = os.Getenv("UPDATE") != ""

func TestMain(m *testing.M) {
	if status, mine := sandbox.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	testscript.Main(m, map[string]func(){"crev": main})
}

// TestScript runs the scenarios in testdata/script: real git, a scripted model,
// an emulated GitHub. They are the specification a user can read.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model":  crevtest.ModelCommand,
			"github": crevtest.GitHubCommand,
			"commit": commitCommand,
			"killat": killCommand,
		},
		Setup: func(env *testscript.Env) error {
			// Scripts run as another user, who cannot enter a scenario's own
			// folder.
			env.Setenv("TMPDIR", os.TempDir())
			cases, err := filepath.Abs("../../testdata/identity")
			if err != nil {
				return err
			}
			env.Setenv("CASES", cases)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "Scenario")
				env.Setenv("GIT_"+who+"_EMAIL", "scenario@example.com")
			}
			return nil
		},
	})
}
