package expertise

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMailmap compares with what git itself makes of the same file.
func TestMailmap(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"# a comment <no@x> <old@x>",
		"Ann Ames <ann@x>",
		"Ann Ames <ann@x> <ANN@old>",
		"<bo@x> <bo@old>",
		"Bo Berg <bo@x>",
		"Cy Cole <cy@x> cyc <shared@x>",
		"Di Dorn <di@x> Di <shared@x>",
		"Somebody <some@x> <shared@x>",
		"   Ed Eng   <ed@x>   <ed@old>  # and a comment",
		"Fay First <fay@x> <fay@old>",
		"Fay Final <fay@old>",
		"no address here",
		"Gus <gus@x",
		"<> <>",
		"Hal <hal@x> Hal <>",
		"",
	}, "\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".mailmap"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	git := func(stdin string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return string(out)
	}
	git("", "init", "--quiet")
	people := []ident{
		{"ann", "ann@x"}, {"A", "Ann@Old"}, {"bo", "bo@old"}, {"bo", "BO@x"},
		{"cyc", "shared@x"}, {"CYC", "Shared@x"}, {"Di", "shared@x"}, {"other", "shared@x"},
		{"e", "ed@old"}, {"f", "fay@old"}, {"g", "gus@x"}, {"n", "no@x"}, {"stranger", "s@x"}, {"Hal", "none@x"},
	}
	var asked strings.Builder
	for _, p := range people {
		asked.WriteString(p.name + " <" + p.email + ">\n")
	}
	want := strings.Split(strings.TrimSpace(git(asked.String(), "check-mailmap", "--stdin")), "\n")
	m := parseMailmap([]byte(text))
	for i, p := range people {
		got := m.apply(p)
		if s := got.name + " <" + got.email + ">"; s != want[i] {
			t.Errorf("apply(%v) = %q, git says %q", p, s, want[i])
		}
	}
}

func TestLoginOf(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"12345+ann@users.noreply.github.com":       "ann",
		"ann@users.noreply.github.com":             "ann",
		"1+Ann-B@Users.NoReply.git.example.com":    "Ann-B",
		"x+ann@users.noreply.github.com":           "x+ann",
		"ann@example.com":                          "",
		"users.noreply.github.com":                 "",
		"49699333+dependabot[bot]@users.noreply.x": "dependabot[bot]",
	} {
		if got := loginOf(email); got != want {
			t.Errorf("loginOf(%q) = %q, want %q", email, got, want)
		}
	}
}

func TestIsBot(t *testing.T) {
	t.Parallel()
	for _, who := range []ident{
		{"dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"},
		{"GitHub", "noreply@github.com"},
		{"Claude Opus", "noreply@anthropic.com"},
		{"Copilot", "x@example.com"},
		{"copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com"},
		{"Renovate Bot", "bot@example.com"},
		{"Kubernetes Prow Robot", "k8s.ci.robot@example.com"},
		{"CI", "1+my-bot@users.noreply.github.com"},
		{"aider (gpt)", "me@example.com"},
	} {
		if !isBot(who) {
			t.Errorf("isBot(%v) = false", who)
		}
	}
	for _, who := range []ident{
		{"Claude Monet", "claude@example.com"},
		{"Claude", "claude@example.com"},
		{"Bob Abbot", "abbot@example.com"},
		{"Robot", "someone@example.com"},
		{"", ""},
	} {
		if isBot(who) {
			t.Errorf("isBot(%v) = true", who)
		}
	}
}
