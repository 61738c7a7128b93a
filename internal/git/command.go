package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Deadlines and caps of one command. They bound a hang, not normal work: the
// largest public repositories answer each of these in seconds.
const (
	localTimeout   = 5 * time.Minute
	networkTimeout = 15 * time.Minute
	// maxOutput is what one command may print, 1 GiB.
	maxOutput = 1 << 30
	// maxStderr is how much of git's complaint goes into an error.
	maxStderr = 2 << 10
)

// setting is one configuration value. Values given to a command win over those
// of the repository.
type setting struct{ key, value string }

// hardening is set for every command. Everything git would start on the word
// of a repository's own configuration is named here, in commandEnv, or by a
// flag of the one command that needs it.
var hardening = []setting{
	{"safe.bareRepository", "explicit"},
	{"core.fsmonitor", "false"},
	{"core.hooksPath", os.DevNull},
	{"core.attributesFile", os.DevNull},
	{"core.pager", "cat"},
	{"core.quotePath", "false"},
	// Files above it are not compared; a repository could say 1.
	{"core.bigFileThreshold", "512m"},
	// Runs a shell command in fetch when the repository borrows objects.
	{"core.alternateRefsCommand", "true"},
	// An empty value forgets the helpers named before.
	{"credential.helper", ""},
	{"protocol.ext.allow", "never"},
	{"diff.suppressBlankEmpty", "false"},
	{"diff.ignoreSubmodules", "none"},
	{"fetch.recurseSubmodules", "false"},
	{"fetch.writeCommitGraph", "false"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"submodule.recurse", "false"},
}

// inherited are the variables a command gets from crev's own environment. All
// others, tokens and GIT_* above all, stay out.
var inherited = []string{
	"PATH", "HOME", "TMPDIR", "SYSTEMROOT",
	"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
	"all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
	"SSH_AUTH_SOCK",
}

// command is one run of git.
type command struct {
	args   []string
	config []setting
	stdin  io.Reader
	// dir, when set, is where git looks for the repository by itself. It is
	// the git directory otherwise, which is then also named as the work tree:
	// it holds no file of the checkout.
	dir string
	// env is added to the environment.
	env     []string
	network bool
	// limit is how many bytes the command may print, maxOutput when 0.
	limit int64
}

// Error is a git command that ended badly.
type Error struct {
	// Command is the subcommand, such as "diff-tree".
	Command string
	// Stderr is what git said, one line, cut.
	Stderr string
	// Err is how it ended: an exit status, a signal or a deadline.
	Err error
}

// Error returns one line: the command, what git said, how it ended.
func (e *Error) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("git %s: %s: %v", e.Command, e.Stderr, e.Err)
}

// Unwrap returns how the command ended.
func (e *Error) Unwrap() error { return e.Err }

// exitStatus returns the status of a command that ran and failed, else -1.
func exitStatus(err error) int {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	return -1
}

// run runs git and returns what it prints.
func (r *Repo) run(ctx context.Context, c command) ([]byte, error) {
	timeout := localTimeout
	if c.network || r.partial {
		timeout = networkTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	limit := c.limit
	if limit == 0 {
		limit = maxOutput
	}
	stdout := &cappedBuffer{limit: limit, full: cancel}
	stderr := &headBuffer{limit: maxStderr}
	cmd := r.command(ctx, c)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, stdout, stderr
	err := cmd.Run()
	if stdout.over {
		return nil, &Error{Command: c.args[0], Err: fmt.Errorf("more than %d bytes: %w", limit, ErrTooLarge)}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, &Error{Command: c.args[0], Stderr: r.auth.redact(stderr.line()), Err: err}
	}
	return stdout.buf.Bytes(), nil
}

// command prepares git in its own process group, so that what it started ends
// with it.
func (r *Repo) command(ctx context.Context, c command) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager"}, c.args...)...)
	cmd.Dir = c.dir
	if c.dir == "" {
		cmd.Dir = r.gitDir
	}
	cmd.Env = r.commandEnv(c)
	ownGroup(cmd)
	// A grandchild that holds a pipe open must not hold crev up.
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// commandEnv builds the whole environment of a command.
func (r *Repo) commandEnv(c command) []string {
	env := []string{
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=",
		"SSH_ASKPASS_REQUIRE=never",
		"GIT_SSH_COMMAND=ssh -oBatchMode=yes",
		"GIT_ALLOW_PROTOCOL=file:http:https:ssh",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_LITERAL_PATHSPECS=1",
		"GIT_NO_REPLACE_OBJECTS=1",
	}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if c.dir == "" {
		env = append(env,
			"GIT_DIR="+r.gitDir,
			"GIT_WORK_TREE="+r.gitDir,
			// No such file: an empty index.
			"GIT_INDEX_FILE="+filepath.Join(r.gitDir, "crev-no-index"))
	}
	env = append(env, c.env...)
	config := append(append([]setting(nil), hardening...), c.config...)
	if c.network || r.partial {
		config = append(config, r.remoteSettings()...)
	}
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(config)))
	for i, s := range config {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}

// cappedBuffer keeps up to limit bytes and calls full when there are more.
type cappedBuffer struct {
	buf   bytes.Buffer
	limit int64
	over  bool
	full  func()
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	if int64(b.buf.Len()+len(p)) > b.limit {
		b.over = true
		b.full()
		return 0, ErrTooLarge
	}
	return b.buf.Write(p)
}

// headBuffer keeps the first limit bytes and takes the rest without complaint.
type headBuffer struct {
	buf   bytes.Buffer
	limit int
}

func (b *headBuffer) Write(p []byte) (int, error) {
	b.buf.Write(p[:min(len(p), b.limit-b.buf.Len())])
	return len(p), nil
}

// line returns what was kept as one line without control characters, so that
// text from a server or a file name cannot forge output.
func (b *headBuffer) line() string {
	lines := strings.FieldsFunc(strings.ToValidUTF8(b.buf.String(), "\uFFFD"),
		func(r rune) bool { return r < ' ' || r == 0x7f })
	return strings.TrimSpace(strings.Join(lines, "; "))
}
