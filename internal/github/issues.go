package github

import (
	"context"
	"fmt"
)

// Issue is what somebody asked for.
type Issue struct {
	Number      int
	Title, Body string
}

// Issue returns an issue of the repository by its number. The number of a pull
// request gives that pull request's text.
func (c *Client) Issue(ctx context.Context, n int) (Issue, error) {
	i, _, err := c.rest.Issues.Get(ctx, c.owner, c.repo, n)
	if err != nil {
		return Issue{}, explain(err, fmt.Sprintf("read issue %d", n), "issues: read")
	}
	return Issue{Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody()}, nil
}
