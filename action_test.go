package crev_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestInstall runs action/install.sh as the runner does, against a server that
// stands for the one with the releases.
func TestInstall(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("every runner has curl, and this machine has not")
	}
	const (
		asset    = "crev-linux-amd64"
		released = "#!/bin/sh\necho the released one\n"
	)
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(released)), asset)

	tests := map[string]struct {
		// files are in the action's folder, served is what the server has.
		files, served map[string]string
		arch          string
		noGo          bool
		// says is in the output; prints is what the binary says, "" for no
		// binary.
		says, prints string
	}{
		"the commit holds the binary": {
			files:  map[string]string{"dist/" + asset: "#!/bin/sh\necho the one in dist\n"},
			says:   "the binary of the action's commit",
			prints: "the one in dist",
		},
		"a release, and its file is the one": {
			files:  map[string]string{"action/VERSION": "v1.2.3\n", "action/SHA256SUMS": sums},
			served: map[string]string{"/acme/crev/releases/download/v1.2.3/" + asset: released},
			says:   "release v1.2.3, checksum as in the pinned commit",
			prints: "the released one",
		},
		"a release, and its file was replaced": {
			files:  map[string]string{"action/VERSION": "v1.2.3\n", "action/SHA256SUMS": sums},
			served: map[string]string{"/acme/crev/releases/download/v1.2.3/" + asset: "#!/bin/sh\necho evil\n"},
			says:   "do not use it",
		},
		"a release whose file is gone": {
			files:  map[string]string{"action/VERSION": "v1.2.3\n", "action/SHA256SUMS": sums},
			says:   "building it from source",
			prints: "the built one",
		},
		"a release without a file for this machine": {
			files:  map[string]string{"action/VERSION": "v1.2.3\n", "action/SHA256SUMS": sums},
			arch:   "ARM64",
			says:   "no file for linux/arm64",
			prints: "the built one",
		},
		"no release": {
			says:   "built from the action's source",
			prints: "the built one",
		},
		"no release and no Go": {
			noGo: true,
			says: "add a step actions/setup-go",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := test.served[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, body)
			}))
			t.Cleanup(server.Close)

			dir, temp := t.TempDir(), t.TempDir()
			write(t, dir, map[string]string{
				"go.mod":           "module example.com/action\n\ngo 1.26\n",
				"cmd/crev/main.go": "package main\n\nfunc main() { println(\"the built one\") }\n",
			})
			write(t, dir, test.files)
			arch := test.arch
			if arch == "" {
				arch = "X64"
			}
			search := os.Getenv("PATH")
			if test.noGo {
				search = onlyTools(t, "bash", "mkdir", "cat", "dirname")
			}
			cmd := exec.Command(bash(t), script(t))
			cmd.Env = append(os.Environ(),
				"PATH="+search,
				"GITHUB_ACTION_PATH="+dir, "GITHUB_OUTPUT="+filepath.Join(temp, "output"), "RUNNER_TEMP="+temp,
				"RUNNER_OS=Linux", "RUNNER_ARCH="+arch, "CREV_REPOSITORY=acme/crev", "CREV_SERVER="+server.URL)
			log, err := cmd.CombinedOutput()
			if !strings.Contains(string(log), test.says) {
				t.Errorf("install.sh says %q, want %q in it", log, test.says)
			}
			if (err == nil) != (test.prints != "") {
				t.Fatalf("install.sh: %v\n%s", err, log)
			}
			output, _ := os.ReadFile(filepath.Join(temp, "output"))
			if test.prints == "" {
				if len(output) > 0 {
					t.Errorf("install.sh failed and still names %q", output)
				}
				return
			}
			binary, ok := strings.CutPrefix(strings.TrimSpace(string(output)), "binary=")
			if !ok {
				t.Fatalf("the step output is %q", output)
			}
			said, err := exec.Command(binary).CombinedOutput()
			if err != nil || strings.TrimSpace(string(said)) != test.prints {
				t.Errorf("the binary says %q, %v; want %q", said, err, test.prints)
			}
		})
	}
}

func TestInstallRefusesOtherSystems(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(bash(t), script(t))
	temp := t.TempDir()
	cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+temp, "RUNNER_TEMP="+temp, "RUNNER_OS=Windows")
	log, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(log), "Linux and macOS") {
		t.Errorf("install.sh on Windows: %v, %q", err, log)
	}
}

func script(t *testing.T) string {
	t.Helper()
	name, err := filepath.Abs("action/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func bash(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("runners have bash, and this machine has not")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of a Linux runner")
	}
	return name
}

// onlyTools makes a search path that holds the named programs and no others.
func onlyTools(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		found, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
