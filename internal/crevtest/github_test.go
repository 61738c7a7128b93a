package crevtest

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite expected output")

func TestGitHubCommand(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Files:         []string{"testdata/github.txtar"},
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"github": GitHubCommand,
		},
		Setup: func(env *testscript.Env) error {
			for _, kv := range [][2]string{
				{"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", os.DevNull},
				{"GIT_AUTHOR_NAME", "maria"}, {"GIT_AUTHOR_EMAIL", "maria@example.com"},
				{"GIT_COMMITTER_NAME", "maria"}, {"GIT_COMMITTER_EMAIL", "maria@example.com"},
				{"GIT_AUTHOR_DATE", "2026-11-29T12:00:00Z"}, {"GIT_COMMITTER_DATE", "2026-11-29T12:00:00Z"},
			} {
				env.Setenv(kv[0], kv[1])
			}
			return nil
		},
	})
}
