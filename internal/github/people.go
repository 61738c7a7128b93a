package github

import (
	"context"
	"slices"
	"strings"

	gh "github.com/google/go-github/v66/github"
)

// maxCommitsAsked bounds how many commits are looked at for a person's
// addresses: one page. Nobody changes addresses that often.
const maxCommitsAsked = 100

// Addresses returns the addresses on the newest commits of the default branch
// that GitHub ties to an account, sorted. GitHub ties a commit to an account
// whose owner has proved that the address is theirs, so nobody gets another's
// work by writing their name.
func (c *Client) Addresses(ctx context.Context, login string) ([]string, error) {
	page, _, err := c.rest.Repositories.ListCommits(ctx, c.owner, c.repo, &gh.CommitsListOptions{
		Author: login, ListOptions: gh.ListOptions{PerPage: maxCommitsAsked},
	})
	if err != nil {
		return nil, explain(err, "list the commits of "+login, "contents: read")
	}
	var out []string
	for _, commit := range page {
		email := commit.GetCommit().GetAuthor().GetEmail()
		if strings.EqualFold(commit.GetAuthor().GetLogin(), login) && email != "" && !slices.Contains(out, email) {
			out = append(out, email)
		}
	}
	slices.Sort(out)
	return out, nil
}
