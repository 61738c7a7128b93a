package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// T48: a checkout whose configuration, attributes, hooks and contents all try
// to start a program. None of it may run, whatever is asked.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	server := newFixture(t)
	server.write("s", "s\n")
	server.commit("server")
	server.git("update-ref", "refs/pull/7/head", "HEAD")

	f.write(".gitattributes", "* filter=evil diff=evil merge=evil text\n")
	f.write("a.go", "1\n")
	base := f.commit("base")
	f.write("a.go", "2\n")
	head := f.commit("head")
	f.git("update-ref", "refs/heads/--output=x", head)
	f.git("update-ref", "refs/heads/$("+script+")", head)

	// A bare repository in the checkout, as T48 has it.
	f.git("init", "--quiet", "--bare", "embedded")
	for _, config := range []string{filepath.Join(f.dir, "embedded", "config"), filepath.Join(f.dir, ".git", "config")} {
		for key, value := range map[string]string{
			"core.fsmonitor":                   script,
			"core.hooksPath":                   filepath.Dir(script),
			"core.pager":                       script,
			"core.editor":                      script,
			"core.sshCommand":                  script,
			"core.gitProxy":                    script,
			"core.askPass":                     script,
			"core.alternateRefsCommand":        script,
			"core.attributesFile":              filepath.Join(f.dir, ".gitattributes"),
			"diff.external":                    script,
			"diff.evil.command":                script,
			"diff.evil.textconv":               script,
			"diff.evil.cachetextconv":          "true",
			"diff.algorithm":                   "patience",
			"diff.noprefix":                    "true",
			"diff.renames":                     "false",
			"diff.context":                     "0",
			"color.ui":                         "always",
			"filter.evil.smudge":               script,
			"filter.evil.clean":                script,
			"filter.evil.process":              script,
			"filter.evil.required":             "true",
			"merge.evil.driver":                script,
			"credential.helper":                "!" + script,
			"credential.https://x.helper":      "!" + script,
			"remote.origin.uploadpack":         script,
			"remote.ext.url":                   "ext::" + script,
			"remote.helper.url":                "evil::x",
			"remote.ssh.url":                   "ssh://git@localhost:1/x",
			"remote.proxied.url":               "git://localhost:1/x",
			"protocol.ext.allow":               "always",
			"protocol.allow":                   "always",
			"gpg.program":                      script,
			"log.showSignature":                "true",
			"alias.diff-tree":                  "!" + script,
			"uploadpack.packObjectsHook":       script,
			"submodule.recurse":                "true",
			"fetch.recurseSubmodules":          "true",
			"submodule.s.update":               "!" + script,
			"submodule.s.url":                  "--upload-pack=" + script,
			"init.templateDir":                 filepath.Dir(script),
			"interactive.diffFilter":           script,
			"sendemail.smtpserver":             script,
			"trailer.x.command":                script,
			"core.worktree":                    f.dir,
			"extensions.worktreeConfig":        "false",
			"safe.bareRepository":              "all",
			"maintenance.auto":                 "true",
			"gc.auto":                          "1",
			"url." + server.dir + ".insteadOf": "mirror:",
		} {
			f.git("config", "--file", config, key, value)
		}
		f.git("config", "--file", config, "remote.origin.url", server.dir)
	}
	for _, hook := range []string{"post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "post-merge"} {
		if err := os.Symlink(script, filepath.Join(f.dir, ".git", "hooks", hook)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(script, filepath.Join(filepath.Dir(script), hook)); err != nil {
			t.Fatal(err)
		}
	}
	f.write(".git/info/attributes", "* filter=evil diff=evil\n")
	f.write(".git/objects/info/alternates", server.dir+"/.git/objects\n")

	ctx := t.Context()
	r := f.open()
	if r.Dir() != mustEval(t, f.dir) {
		t.Errorf("Dir = %q", r.Dir())
	}
	files, err := r.Diff(ctx, base, head, DiffOptions{})
	if err != nil || len(files) != 1 || files[0].ChangedLines() != 2 {
		t.Errorf("Diff = %+v, %v", files, err)
	}
	if got, err := r.ReadFile(ctx, head, "a.go"); err != nil || string(got) != "2\n" {
		t.Errorf("ReadFile = %q, %v", got, err)
	}
	for _, rev := range []string{"--output=x", "$(" + script + ")", "HEAD"} {
		if got, err := r.Resolve(ctx, rev); err != nil || got != head {
			t.Errorf("Resolve(%q) = %q, %v", rev, got, err)
		}
	}
	if _, err := r.Files(ctx, head); err != nil {
		t.Error(err)
	}
	if _, err := r.MergeBase(ctx, base, head); err != nil {
		t.Error(err)
	}
	if _, err := r.FirstParents(ctx, base, head, 5); err != nil {
		t.Error(err)
	}
	if _, err := r.CommitMessage(ctx, head); err != nil {
		t.Error(err)
	}
	if _, err := r.Attributes(ctx, head, []string{"a.go"}, "filter"); err != nil {
		t.Error(err)
	}
	if err := r.Export(ctx, head, t.TempDir()); err != nil {
		t.Error(err)
	}
	if err := r.Fetch(ctx, "origin", []string{"+refs/pull/7/head:refs/crev/pull/7/head"}, Auth{}); err != nil {
		t.Error(err)
	}
	for _, remote := range []string{"ext", "helper", "ssh", "proxied"} {
		if err := r.Fetch(ctx, remote, []string{"refs/heads/main"}, Auth{}); err == nil {
			t.Errorf("Fetch from %s gave no error", remote)
		}
	}
	if _, err := Open(ctx, filepath.Join(f.dir, "embedded")); err != nil {
		t.Errorf("Open from inside the embedded repository: %v", err)
	}
	if log, err := os.ReadFile(ran); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something ran:\n%s", log)
	}
	if _, err := os.Lstat(filepath.Join(f.dir, "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a branch name was taken for an option")
	}
}

func mustEval(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// L14: neither attributes in the pull request nor settings of the checkout that
// lead to them hide a file from its own diff.
func TestAttributesDoNotHideChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("auth.go", "1\n")
	f.commit("base")
	f.write(".gitattributes", "* -diff binary linguist-generated\n")
	f.write("auth.go", "password\n")
	f.commit("head")
	f.git("config", "core.worktree", f.dir)
	f.git("config", "core.attributesFile", filepath.Join(f.dir, ".gitattributes"))
	f.git("config", "core.bigFileThreshold", "1")
	want := []string{`added text ".gitattributes" +1 -0`, `modified text "auth.go" +1 -1`}
	if got := describeAll(f.changed(DiffOptions{})); !slices.Equal(got, want) {
		t.Errorf("Diff = %v, want %v", got, want)
	}
}

// Replace refs and grafts are part of a clone and can lie about a commit.
func TestReplaceRefsDoNotCount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a", "true\n")
	real := f.commit("real")
	f.write("a", "false\n")
	fake := f.commit("fake")
	f.git("replace", real, fake)
	if got, err := f.open().ReadFile(t.Context(), real, "a"); err != nil || string(got) != "true\n" {
		t.Errorf("ReadFile of a replaced commit = %q, %v, want its own content", got, err)
	}
}

// The environment of a command holds nothing that was not named.
func TestEnvironment(t *testing.T) {
	f := newFixture(t)
	f.commit("root")
	f.git("remote", "add", "origin", "https://github.com/acme/shop.git")
	f.git("remote", "add", "other", "https://example.com/acme/shop.git")
	f.git("remote", "add", "plain", "http://github.com/acme/shop.git")
	for name, value := range map[string]string{
		"GITHUB_TOKEN": "ghs_secret", "OPENAI_API_KEY": "sk-secret", "INPUT_API_KEY": "sk-secret",
		"GIT_DIR": "/nowhere", "GIT_CONFIG_PARAMETERS": "'core.pager=evil'", "GIT_EXTERNAL_DIFF": "evil",
		"GIT_TRACE": "1", "GIT_CONFIG_COUNT": "1", "GIT_SSH_COMMAND": "evil", "LD_PRELOAD": "evil",
	} {
		t.Setenv(name, value)
	}
	// The fixture cannot be opened by plain git here; crev's own must work.
	r, err := Open(t.Context(), f.dir, WithAuth(Auth{Server: "https://github.com", Token: "ghs_token"}))
	if err != nil {
		t.Fatal(err)
	}
	local := r.command(t.Context(), command{args: []string{"diff-tree"}})
	for _, v := range local.Env {
		for _, secret := range []string{"secret", "ghs_token", "evil", "nowhere", "GIT_TRACE", "extraHeader"} {
			if strings.Contains(v, secret) {
				t.Errorf("a local command gets %q", v)
			}
		}
	}
	network := r.command(t.Context(), command{args: []string{"fetch"}, network: true})
	env := strings.Join(network.Env, "\n")
	header := r.auth.header()
	if strings.Count(env, header) != 1 || !strings.Contains(env, "=http.https://github.com/acme/shop.git.extraHeader\n") {
		t.Errorf("a fetch gets the token %d times, want once, for its server", strings.Count(env, header))
	}
	if strings.Contains(env, "http.https://example.com") || strings.Contains(env, "http.http://") {
		t.Error("the token goes to another server")
	}
	if strings.Contains(strings.Join(network.Args, " "), "ghs_token") {
		t.Error("the token is in an argument")
	}
	if got := r.auth.redact("fatal: ghs_token and " + header); strings.Contains(got, "ghs_token") || strings.Contains(got, strings.Fields(header)[2]) {
		t.Errorf("redact left the token: %q", got)
	}
}
