package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTwoMinutes runs the commands of docs/ratchet.md as they stand there, in
// one shell, as a reader would type them.
func TestTwoMinutes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/ratchet.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## In two minutes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	script := "set -e\n"
	for _, part := range strings.Split(section, "```sh\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		script += block
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=Reader", "GIT_AUTHOR_EMAIL=reader@example.com", "GIT_COMMITTER_NAME=Reader", "GIT_COMMITTER_EMAIL=reader@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the commands of docs/ratchet.md: %v\n%s", err, out)
	}
	for _, want := range []string{
		"crev ledger promote --scaffold 23fdd3cc90cc9ea7",
		"tenant-from-session: proven",
		"promoted 23fdd3cc90cc9ea7: red on the bad samples",
		"validator tenant-from-session: found\n  api/report.sh:1: ",
		"crev failed at ",
		"The gate says no.",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands of docs/ratchet.md do not print %q:\n%s", want, out)
		}
	}
}
