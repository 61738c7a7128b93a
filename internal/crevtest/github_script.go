package crevtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// GitHubCommand is the command "github" of a scenario. Register it under that
// name. Every scenario has its own server; options may stand anywhere.
//
//	github start [--from DIR] [--owner O] [--repo R] [--branch main] [--token KIND]
//	    Start a server with the branches of the repository in DIR (default: the
//	    current directory), make it the remote "origin" there, and set
//	    GITHUB_ACTIONS, GITHUB_API_URL, GITHUB_GRAPHQL_URL, GITHUB_SERVER_URL,
//	    GITHUB_REPOSITORY, GITHUB_WORKSPACE (DIR), GITHUB_TOKEN and CLONE_URL.
//	    KIND is full (default), review, no-checks or read-only.
//	github stop
//	    Stop it. Fails when a request or an answer broke GitHub's schemas; a
//	    scenario that ends without it panics in that case.
//
//	github push [--from DIR] [BRANCH]...
//	    Push branches (default: all), with force. Pull requests move along,
//	    comments follow their lines or become outdated. A branch that is the
//	    head of a fork's pull request moves that one.
//	github pr open --head H [--base B] [--title T] [--body B] [--author LOGIN]
//	               [--draft] [--fork] [--from DIR]
//	    Print the number. With --fork, H comes from DIR and is on the fork only.
//	github pr merge N [--squash|--rebase] [--delete-branch] · pr close N ·
//	github pr draft N · pr ready N · pr delete-fork N
//
//	github issue --title T [--body B] [--author LOGIN]
//	    Open an issue and print its number, 100 or more.
//	github issue labeled|unlabeled N --label L [--as LOGIN]
//	github issue closed|referenced N [--commit REV] [--as LOGIN]
//	github issue cross-referenced N --pr M
//	    What happens to it, by the names of its timeline.
//
//	github event NAME [N] [--action A] [--actor LOGIN] [--comment WHICH]
//	             [--ref BRANCH] [--before SHA] [--schedule CRON] [--out FILE]
//	    Write the event file that Actions would write for pull request N and set
//	    GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_SHA, GITHUB_REF,
//	    GITHUB_HEAD_REF, GITHUB_BASE_REF, GITHUB_ACTOR, GITHUB_RUN_ID (one more
//	    each time), GITHUB_RUN_ATTEMPT, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, and
//	    GITHUB_TOKEN: read-only for pull requests of forks and of Dependabot. NAME is
//	    pull_request, pull_request_target, merge_group, push, issue_comment,
//	    pull_request_review_comment, issues (N is an issue), schedule or
//	    workflow_dispatch.
//	github rerun
//	    Set GITHUB_RUN_ATTEMPT one higher and give the job new files.
//
//	github comment N --as LOGIN TEXT...
//	github review-comment N PATH LINE --as LOGIN TEXT...
//	github reply N WHICH --as LOGIN TEXT...
//	github edit WHICH TEXT...
//	github delete WHICH
//	github react WHICH CONTENT --as LOGIN
//	github resolve WHICH --as LOGIN · github unresolve WHICH
//	    WHICH is the id of a comment, or a piece of text that is in only one
//	    of them, such as a defect id. CONTENT is +1, -1, eyes, ...
//
//	github user LOGIN ROLE [--private]
//	    ROLE is admin, maintain, write, triage, read or none.
//	github token KIND [--as LOGIN]
//	    Set GITHUB_TOKEN.
//	github forbid pull-requests
//	    Actions may no longer open pull requests.
//	github fault KIND [--match RE] [--times N] [--skip N] [--retry-after S]
//	             [--branch B --commit REV] [--pr N --squash|--rebase --delete-branch]
//	    Make the next requests go wrong; see Fault. RE matches "METHOD PATH".
//	    Without --retry-after the header is left out.
//
//	github show prs|files|refs|reviews|threads|comments|checks|statuses|requests [N]
//	    Print what is there, of pull request N, as stable text.
//	github cat REV PATH
//	    Print a file of the repository.
func GitHubCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || args[0] != "start" {
		ts.Fatalf("usage: github start [--from DIR]; the other github commands come after it")
	}
	o := parseOptions(args[1:])
	o.only(ts, "from", "owner", "repo", "branch", "token")
	from := ts.MkAbs(orElse(o.value["from"], "."))
	cfg := GitHubConfig{Owner: o.value["owner"], Repo: o.value["repo"], DefaultBranch: o.value["branch"], From: from}
	if _, err := os.Stat(filepath.Join(from, ".git")); err != nil {
		ts.Fatalf("github start: %s is no git repository", from)
	}
	g, err := StartGitHub(cfg)
	ts.Check(err)
	s := &githubScript{g: g, dir: from, run: 1016}
	ts.Defer(s.end)
	for name, value := range map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_API_URL": g.APIURL, "GITHUB_GRAPHQL_URL": g.GraphQLURL,
		"GITHUB_SERVER_URL": g.ServerURL, "GITHUB_REPOSITORY": g.Owner + "/" + g.Repo,
		"GITHUB_WORKSPACE": from, "CLONE_URL": g.CloneURL,
		"GITHUB_TOKEN": g.Token(ActionsBot, TokenKind(orElse(o.value["token"], string(FullToken)))),
	} {
		ts.Setenv(name, value)
	}
	// A scenario that has no origin yet gets one; an old one is replaced.
	_ = ts.Exec("git", "-C", from, "remote", "remove", "origin")
	ts.Check(ts.Exec("git", "-C", from, "remote", "add", "origin", g.CloneURL))
	ts.SetCmd("github", s.command)
}

// githubScript is the state of "github" in one scenario.
type githubScript struct {
	g       *GitHub
	dir     string
	run     int
	attempt int
	stopped bool
}

// end stops the server at the end of a scenario.
func (s *githubScript) end() {
	if s.stopped {
		return
	}
	s.g.Close()
	if v := s.g.Violations(); len(v) > 0 {
		panic("github: GitHub's schemas were violated:\n" + strings.Join(v, "\n"))
	}
}

func (s *githubScript) stop(ts *testscript.TestScript, _ *options) error {
	s.stopped = true
	s.g.Close()
	ts.SetCmd("github", GitHubCommand)
	if v := s.g.Violations(); len(v) > 0 {
		return fmt.Errorf("GitHub's schemas were violated:\n%s", strings.Join(v, "\n"))
	}
	return nil
}

// command is "github" once a server runs.
func (s *githubScript) command(ts *testscript.TestScript, neg bool, args []string) {
	commands := map[string]func(*testscript.TestScript, *options) error{
		"stop": s.stop, "push": s.push, "pr": s.pr, "issue": s.issue, "event": s.event, "rerun": s.rerun,
		"comment": s.comment, "review-comment": s.reviewComment, "reply": s.reply,
		"edit": s.edit, "delete": s.delete, "react": s.react,
		"resolve": s.resolve, "unresolve": s.resolve,
		"user": s.user, "token": s.token, "forbid": s.forbid, "fault": s.fault,
		"show": s.show, "cat": s.cat,
	}
	if len(args) == 0 || commands[args[0]] == nil {
		ts.Fatalf("github: want one of %s", strings.Join(sortedKeys(commands), ", "))
	}
	o := parseOptions(args[1:])
	o.name = args[0]
	err := commands[args[0]](ts, o)
	if neg == (err != nil) {
		return
	}
	if neg {
		ts.Fatalf("github %s did not fail", strings.Join(args, " "))
	}
	ts.Fatalf("github %s: %v", strings.Join(args, " "), err)
}

// options are the words of a command: --name value, --switch and the rest.
type options struct {
	name   string
	value  map[string]string
	on     map[string]bool
	others []string
}

var switches = []string{"fork", "draft", "squash", "rebase", "delete-branch", "private"}

func parseOptions(args []string) *options {
	o := &options{value: map[string]string{}, on: map[string]bool{}}
	for i := 0; i < len(args); i++ {
		name, isOption := strings.CutPrefix(args[i], "--")
		switch {
		case !isOption:
			o.others = append(o.others, args[i])
		case slices.Contains(switches, name):
			o.on[name] = true
		case i+1 < len(args):
			o.value[name] = args[i+1]
			i++
		default:
			o.value[name] = ""
		}
	}
	return o
}

// only fails on an option that the command does not have.
func (o *options) only(ts *testscript.TestScript, names ...string) {
	for _, name := range append(sortedKeys(o.value), sortedKeys(o.on)...) {
		if !slices.Contains(names, name) {
			ts.Fatalf("github: no option --%s here", name)
		}
	}
}

// arg returns a word, or an error that names it.
func (o *options) arg(i int, what string) (string, error) {
	if i >= len(o.others) {
		return "", fmt.Errorf("%s is missing", what)
	}
	return o.others[i], nil
}

// pull returns the number of a pull request.
func (o *options) pull(i int) (int, error) {
	word, err := o.arg(i, "the number of the pull request")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimPrefix(word, "#"))
}

// merge is how a pull request is to be merged.
func (o *options) merge() Merge {
	return Merge{Squash: o.on["squash"], Rebase: o.on["rebase"], DeleteBranch: o.on["delete-branch"]}
}

// text joins the words from i on.
func (o *options) text(i int) (string, error) {
	if i >= len(o.others) {
		return "", fmt.Errorf("the text is missing")
	}
	return strings.Join(o.others[i:], " "), nil
}

func (o *options) as() string { return orElse(o.value["as"], Maintainer) }

func (s *githubScript) from(ts *testscript.TestScript, o *options) string {
	if dir := o.value["from"]; dir != "" {
		return ts.MkAbs(dir)
	}
	return s.dir
}

func (s *githubScript) push(ts *testscript.TestScript, o *options) error {
	o.only(ts, "from")
	return s.g.Push(s.from(ts, o), o.others...)
}

func (s *githubScript) issue(ts *testscript.TestScript, o *options) error {
	o.only(ts, "title", "body", "author", "label", "commit", "pr", "as")
	if len(o.others) > 0 {
		return s.happen(o)
	}
	fmt.Fprintln(ts.Stdout(), s.g.OpenIssue(o.value["title"], o.value["body"], o.value["author"]))
	return nil
}

// happen adds to the timeline of an issue.
func (s *githubScript) happen(o *options) error {
	n, err := o.pull(1)
	if err != nil {
		return err
	}
	m := IssueMoment{Event: o.others[0], Actor: o.as(), Label: o.value["label"]}
	if rev := o.value["commit"]; rev != "" {
		if m.Commit, err = s.g.Import(s.dir, rev); err != nil {
			return err
		}
	}
	if pr := o.value["pr"]; pr != "" {
		if m.Pull, err = strconv.Atoi(pr); err != nil {
			return err
		}
	}
	return s.g.Happen(n, m)
}

func (s *githubScript) pr(ts *testscript.TestScript, o *options) error {
	o.only(ts, "head", "base", "title", "body", "author", "draft", "fork", "from", "squash", "rebase", "delete-branch")
	verb, err := o.arg(0, "what to do")
	if err != nil {
		return err
	}
	if verb == "open" {
		open := OpenPull{
			Head: o.value["head"], Base: o.value["base"], Title: o.value["title"], Body: o.value["body"],
			Author: o.value["author"], Draft: o.on["draft"], Fork: o.on["fork"],
		}
		if open.Fork {
			open.Author = orElse(open.Author, "stranger")
			if open.Commit, err = s.g.Import(s.from(ts, o), open.Head); err != nil {
				return err
			}
		}
		n, err := s.g.OpenPullRequest(open)
		if err == nil {
			fmt.Fprintln(ts.Stdout(), n)
		}
		return err
	}
	n, err := o.pull(1)
	if err != nil {
		return err
	}
	switch verb {
	case "merge":
		sha, err := s.g.MergePullRequest(n, o.merge())
		if err == nil {
			fmt.Fprintln(ts.Stdout(), sha)
		}
		return err
	case "close":
		return s.g.ClosePullRequest(n)
	case "draft", "ready":
		return s.g.SetDraft(n, verb == "draft")
	case "delete-fork":
		return s.g.DeleteFork(n)
	}
	return fmt.Errorf("want open, merge, close, draft, ready or delete-fork")
}

func (s *githubScript) user(ts *testscript.TestScript, o *options) error {
	o.only(ts, "private")
	login, err := o.arg(0, "the login")
	if err != nil {
		return err
	}
	role, err := o.arg(1, "the role")
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"admin", "maintain", "write", "triage", "read", "none"}, role) {
		return fmt.Errorf("no role %q", role)
	}
	if o.on["private"] {
		s.g.PrivateMember(login, role)
		return nil
	}
	s.g.User(login, role)
	return nil
}

func (s *githubScript) token(ts *testscript.TestScript, o *options) error {
	o.only(ts, "as")
	kind, err := o.arg(0, "the kind")
	if err != nil {
		return err
	}
	ts.Setenv("GITHUB_TOKEN", s.g.Token(orElse(o.value["as"], ActionsBot), TokenKind(kind)))
	return nil
}

func (s *githubScript) forbid(ts *testscript.TestScript, o *options) error {
	o.only(ts)
	if len(o.others) != 1 || o.others[0] != "pull-requests" {
		return fmt.Errorf("want: github forbid pull-requests")
	}
	s.g.ForbidPullRequests()
	return nil
}

func (s *githubScript) fault(ts *testscript.TestScript, o *options) error {
	o.only(ts, "match", "times", "skip", "retry-after", "branch", "commit", "pr", "squash", "rebase", "delete-branch")
	word, err := o.arg(0, "the kind")
	if err != nil {
		return err
	}
	f := Fault{Match: o.value["match"], RetryAfter: -1, Branch: o.value["branch"], Merge: o.merge()}
	if f.Kind, err = parseFaultKind(word); err != nil {
		return err
	}
	for name, to := range map[string]*int{"times": &f.Times, "skip": &f.Skip, "retry-after": &f.RetryAfter, "pr": &f.Pull} {
		if v, given := o.value[name]; given {
			if *to, err = strconv.Atoi(v); err != nil {
				return fmt.Errorf("--%s %q is no number", name, v)
			}
		}
	}
	if f.Kind == FaultHeadMoves {
		if f.Commit, err = s.g.Import(s.dir, o.value["commit"]); err != nil {
			return err
		}
	}
	return s.g.Break(f)
}

func (s *githubScript) cat(ts *testscript.TestScript, o *options) error {
	rev, err := o.arg(0, "the revision")
	if err != nil {
		return err
	}
	path, err := o.arg(1, "the path")
	if err != nil {
		return err
	}
	text, err := s.g.ReadFile(rev, path)
	fmt.Fprint(ts.Stdout(), text)
	return err
}

func (s *githubScript) show(ts *testscript.TestScript, o *options) error {
	o.only(ts)
	what, err := o.arg(0, "what to show")
	if err != nil {
		return err
	}
	n := 0
	if len(o.others) > 1 {
		if n, err = o.pull(1); err != nil {
			return err
		}
	}
	text, err := s.g.Show(what, n)
	fmt.Fprint(ts.Stdout(), text)
	return err
}
