package crevtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// EventSpec says which event to describe.
type EventSpec struct {
	// Name is GITHUB_EVENT_NAME, Action the activity type; "" means the
	// usual one.
	Name, Action string
	// Pull is the pull request, or the issue of an issues event; 0 for none.
	Pull int
	// Actor caused it; "" means the author of the pull request.
	Actor string
	// Comment is the comment of an issue_comment or a
	// pull_request_review_comment event: an id or a piece of its text.
	Comment string
	// Ref is the branch of a push, Before the commit before it.
	Ref, Before string
	// Schedule is the cron line.
	Schedule string
}

// Event is what Actions tells a job: the payload and the variables that go
// with it.
type Event struct {
	Payload                    []byte
	SHA, Ref, HeadRef, BaseRef string
	Actor                      string
	// ReadOnly is true when the job gets a read-only token and no secrets.
	ReadOnly bool
}

// Event describes an event the way Actions does.
func (g *GitHub) Event(spec EventSpec) (Event, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	repo, err := g.example("repos.get.response.200.default-response")
	if err != nil {
		return Event{}, err
	}
	repo["name"], repo["full_name"], repo["owner"] = g.Repo, g.Owner+"/"+g.Repo, g.user(g.Owner)
	repo["default_branch"] = g.DefaultBranch
	for _, relative := range []string{"source", "parent", "template_repository", "organization", "permissions"} {
		delete(repo, relative)
	}
	main := g.git.branch(g.DefaultBranch)
	e := Event{SHA: main, Ref: "refs/heads/" + g.DefaultBranch, Actor: orElse(spec.Actor, Maintainer)}
	payload := object{"repository": repo}

	var p *pull
	if spec.Pull != 0 && spec.Name != "issues" {
		if p, err = g.pull(spec.Pull); err != nil {
			return Event{}, err
		}
		e.ReadOnly = g.isFork(p) || p.author == "dependabot[bot]"
	}
	switch spec.Name {
	case "pull_request", "pull_request_target", "pull_request_review_comment":
		err = g.pullEvent(&e, payload, spec, p)
	case "issue_comment":
		err = g.commentEvent(payload, spec, p)
		e.ReadOnly = false
	case "issues":
		i := g.issue(spec.Pull)
		if i == nil {
			return Event{}, fmt.Errorf("there is no issue %d", spec.Pull)
		}
		payload["action"], payload["issue"] = orElse(spec.Action, "labeled"), g.renderIssue(i)
	case "push":
		err = g.pushEvent(&e, payload, spec)
	case "merge_group":
		err = g.queueEvent(&e, payload, p)
		e.ReadOnly = false
	case "schedule":
		payload["schedule"], payload["workflow"] = orElse(spec.Schedule, "17 3 * * *"), ".github/workflows/crev.yml"
	case "workflow_dispatch":
		payload["inputs"], payload["ref"], payload["workflow"] = object{}, e.Ref, ".github/workflows/crev.yml"
	default:
		err = fmt.Errorf("no event %q", spec.Name)
	}
	if err != nil {
		return Event{}, err
	}
	if spec.Name == "pull_request_target" {
		e.ReadOnly = p.author == "dependabot[bot]"
	}
	payload["sender"] = g.user(e.Actor)
	e.Payload, err = json.MarshalIndent(payload, "", "  ")
	return e, err
}

func (g *GitHub) pullEvent(e *Event, payload object, spec EventSpec, p *pull) error {
	if p == nil {
		return fmt.Errorf("%s needs a pull request", spec.Name)
	}
	rendered, err := g.renderPull(p, "pulls.get.response.200.default")
	if err != nil {
		return err
	}
	e.Actor = orElse(spec.Actor, p.author)
	e.HeadRef, e.BaseRef = p.headRef, p.baseRef
	payload["pull_request"], payload["number"] = rendered, p.number
	payload["action"] = orElse(spec.Action, "opened")
	if p.before != "" && spec.Action == "" {
		payload["action"] = "synchronize"
	}
	if payload["action"] == "synchronize" {
		payload["before"], payload["after"] = orElse(spec.Before, p.before), p.headSHA
	}
	if spec.Name != "pull_request_target" {
		e.SHA, e.Ref = p.mergeSHA, fmt.Sprintf("refs/pull/%d/merge", p.number)
	}
	if p.merged {
		e.SHA, e.Ref = p.mergeCommit, "refs/heads/"+p.baseRef
	}
	if spec.Name == "pull_request_review_comment" {
		m, err := g.find(spec.Comment)
		if err != nil {
			return err
		}
		e.Actor = orElse(spec.Actor, m.author)
		payload["comment"] = g.renderReviewComment(m)
		payload["action"] = orElse(spec.Action, "created")
		delete(payload, "number")
	}
	return nil
}

func (g *GitHub) commentEvent(payload object, spec EventSpec, p *pull) error {
	if p == nil {
		return fmt.Errorf("issue_comment needs a pull request")
	}
	m, err := g.find(spec.Comment)
	if err != nil {
		return err
	}
	payload["action"] = orElse(spec.Action, "created")
	payload["comment"] = g.renderComment(m)
	number := strconv.Itoa(p.number)
	payload["issue"] = object{
		"number": p.number, "title": p.title, "body": p.body, "state": p.state, "draft": p.draft,
		"user": g.user(p.author), "html_url": g.html("pull", number), "url": g.api("issues", number),
		"pull_request": object{"url": g.api("pulls", number), "html_url": g.html("pull", number)},
	}
	return nil
}

const noCommit = "0000000000000000000000000000000000000000"

func (g *GitHub) pushEvent(e *Event, payload object, spec EventSpec) error {
	branch := orElse(spec.Ref, g.DefaultBranch)
	after := g.git.branch(branch)
	if after == "" {
		return fmt.Errorf("there is no branch %s", branch)
	}
	before := orElse(spec.Before, g.git.resolve(after+"~1"))
	e.SHA, e.Ref = after, "refs/heads/"+branch
	payload["ref"], payload["before"], payload["after"] = e.Ref, orElse(before, noCommit), after
	payload["created"], payload["deleted"], payload["forced"] = before == "", false, false
	payload["pusher"] = object{"name": e.Actor, "email": e.Actor + "@users.noreply.github.com"}
	return nil
}

func (g *GitHub) queueEvent(e *Event, payload object, p *pull) error {
	if p == nil || p.mergeSHA == "" {
		return fmt.Errorf("merge_group needs a pull request that can be merged")
	}
	e.Ref = fmt.Sprintf("refs/heads/gh-readonly-queue/%s/pr-%d-%s", p.baseRef, p.number, p.baseSHA)
	e.SHA, e.Actor = p.mergeSHA, "github-merge-queue[bot]"
	payload["action"] = "checks_requested"
	payload["merge_group"] = object{
		"head_sha": p.mergeSHA, "head_ref": e.Ref, "base_sha": p.baseSHA, "base_ref": "refs/heads/" + p.baseRef,
	}
	return g.git.setRef(e.Ref, p.mergeSHA)
}

func (s *githubScript) event(ts *testscript.TestScript, o *options) error {
	o.only(ts, "action", "actor", "comment", "ref", "before", "schedule", "out")
	name, err := o.arg(0, "the name of the event")
	if err != nil {
		return err
	}
	spec := EventSpec{
		Name: name, Action: o.value["action"], Actor: o.value["actor"], Comment: o.value["comment"],
		Ref: o.value["ref"], Before: o.value["before"], Schedule: o.value["schedule"],
	}
	if len(o.others) > 1 {
		if spec.Pull, err = o.pull(1); err != nil {
			return err
		}
	}
	e, err := s.g.Event(spec)
	if err != nil {
		return err
	}
	s.run++
	s.attempt = 1
	path := ts.MkAbs(orElse(o.value["out"], filepath.Join(s.jobDir(ts), "event.json")))
	if err := s.newJob(ts); err != nil {
		return err
	}
	if err := os.WriteFile(path, e.Payload, 0o644); err != nil {
		return err
	}
	kind := FullToken
	if e.ReadOnly {
		kind = ReadOnlyToken
	}
	for name, value := range map[string]string{
		"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": path, "GITHUB_SHA": e.SHA, "GITHUB_REF": e.Ref,
		"GITHUB_REF_NAME": strings.TrimPrefix(strings.TrimPrefix(e.Ref, "refs/heads/"), "refs/pull/"),
		"GITHUB_HEAD_REF": e.HeadRef, "GITHUB_BASE_REF": e.BaseRef, "GITHUB_ACTOR": e.Actor,
		"GITHUB_TOKEN": s.g.Token(ActionsBot, kind),
	} {
		ts.Setenv(name, value)
	}
	return nil
}

func (s *githubScript) rerun(ts *testscript.TestScript, o *options) error {
	o.only(ts)
	s.attempt++
	return s.newJob(ts)
}

// jobDir is where the files of a job are, outside of the repository.
func (s *githubScript) jobDir(ts *testscript.TestScript) string {
	return filepath.Join(ts.Getenv("WORK"), ".job", fmt.Sprintf("%d.%d", s.run, s.attempt))
}

// newJob gives the next job its run id and its files.
func (s *githubScript) newJob(ts *testscript.TestScript) error {
	dir := s.jobDir(ts)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for variable, file := range map[string]string{"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary.md"} {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return err
		}
		ts.Setenv(variable, path)
	}
	ts.Setenv("GITHUB_RUN_ID", strconv.Itoa(s.run))
	ts.Setenv("GITHUB_RUN_ATTEMPT", strconv.Itoa(s.attempt))
	return nil
}
