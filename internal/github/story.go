package github

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	gh "github.com/google/go-github/v66/github"
)

// Story is what happened to an issue.
type Story struct {
	Issue
	URL string
	// LabelledBy is who set the label that was asked for and is still there,
	// "" when the issue does not bear it.
	LabelledBy string
	// Fixes are the commits that are said to fix it, the best said first.
	Fixes []string
}

// fullID finds full commit ids in a text.
var fullID = regexp.MustCompile(`\b[0-9a-f]{40}\b`)

// Story reads an issue and its timeline for a label. A commit is said to fix the
// issue when it closed it, when a merged pull request says that it closes it, when
// a commit's message names the issue, or when the body holds its full id; in this
// order. What the commits are is not looked at.
func (c *Client) Story(ctx context.Context, n int, label string) (Story, error) {
	i, _, err := c.rest.Issues.Get(ctx, c.owner, c.repo, n)
	if err != nil {
		return Story{}, explain(err, fmt.Sprintf("read issue %d", n), "issues: read")
	}
	s := Story{Issue: Issue{Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody()}, URL: i.GetHTMLURL()}
	has := false
	for _, l := range i.Labels {
		has = has || strings.EqualFold(l.GetName(), label)
	}
	var closed, merged, named []string
	opts := &gh.ListOptions{PerPage: 100}
	for {
		events, resp, err := c.rest.Issues.ListIssueTimeline(ctx, c.owner, c.repo, n, opts)
		if err != nil {
			return Story{}, explain(err, fmt.Sprintf("read the timeline of issue %d", n), "issues: read")
		}
		for _, e := range events {
			switch e.GetEvent() {
			case "labeled":
				if has && strings.EqualFold(e.GetLabel().GetName(), label) {
					s.LabelledBy = ghostly(e.GetActor().GetLogin())
				}
			case "closed":
				closed = append(closed, e.GetCommitID())
			case "referenced":
				named = append(named, e.GetCommitID())
			case "cross-referenced":
				sha, err := c.closing(ctx, e.GetSource().GetIssue(), n)
				if err != nil {
					return Story{}, err
				}
				merged = append(merged, sha)
			}
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	for _, found := range [][]string{closed, merged, named, fullID.FindAllString(s.Body, -1)} {
		for _, sha := range found {
			if sha != "" {
				s.Fixes = append(s.Fixes, sha)
			}
		}
	}
	return s, nil
}

// closing is the merge commit of a pull request of this repository that says that
// it closes the issue n, "" for any other.
func (c *Client) closing(ctx context.Context, source *gh.Issue, n int) (string, error) {
	says := regexp.MustCompile(fmt.Sprintf(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#%d\b`, n))
	if source.GetPullRequestLinks() == nil || !strings.EqualFold(source.GetHTMLURL(), c.PullRequestURL(source.GetNumber())) ||
		!says.MatchString(source.GetTitle()+"\n"+source.GetBody()) {
		return "", nil
	}
	pr, err := c.PullRequest(ctx, source.GetNumber())
	return pr.MergeCommit, err
}
