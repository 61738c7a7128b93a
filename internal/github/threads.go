package github

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Thread is one conversation on the diff or on a file of a pull request.
type Thread struct {
	// ID is the GraphQL id that ResolveThread takes.
	ID string
	// Resolved is what somebody clicked; Outdated is GitHub's guess that the
	// line changed, which is wrong more often than not about a fix.
	Resolved, Outdated bool
	// ResolvedBy is a login, "" when unresolved or unknown. GitHub gives a
	// bot's without "[bot]" here and does not say that it is one.
	ResolvedBy string
	// ViewerCanResolve says whether the token's owner may resolve it. For a
	// GITHUB_TOKEN it can say true and the mutation be forbidden.
	ViewerCanResolve bool
	Path             string
	// Line is where GitHub shows it now, 0 when it shows it nowhere or on
	// the file as a whole. OriginalLine is where it was put.
	Line, OriginalLine int
	// Side is "RIGHT" or "LEFT".
	Side string
	// Comments are in order; the first one opened the thread.
	Comments []Comment
}

// Comment is a comment in a thread or in the conversation of a pull request.
type Comment struct {
	// ID is the REST id, NodeID the GraphQL one.
	ID     int64
	NodeID string
	URL    string
	Body   string
	// Author is the login in its REST form, so an Actions bot is
	// "github-actions[bot]"; "ghost" when the account is gone. AuthorType is
	// "User", "Bot", "Mannequin" or "Organization", or "" for a ghost.
	Author, AuthorType string
	// Association is GitHub's authorAssociation, for example "MEMBER".
	Association string
	// Mine is true when the token's owner wrote it. Every workflow of a
	// repository that uses GITHUB_TOKEN is the same owner.
	Mine                 bool
	CreatedAt, UpdatedAt time.Time
	// Edited is true when the body was changed after it was posted; known
	// for review comments only.
	Edited bool
	// Minimized is true when it is folded away.
	Minimized bool
	Reactions []Reaction
}

// Reaction is one person's reaction to a comment.
type Reaction struct {
	// Content is GitHub's REST name: "+1", "-1", "laugh", "confused",
	// "heart", "hooray", "rocket" or "eyes".
	Content string
	// By is a login, "ghost" when the account is gone or is a bot.
	By string
	At time.Time
}

// Mine reports whether the token's owner opened the thread.
func (t *Thread) Mine() bool { return len(t.Comments) > 0 && t.Comments[0].Mine }

// The page sizes keep one listing at about 16 of the points that a token has
// an hour; most pull requests need one page.
const commentFields = `
  id fullDatabaseId body url createdAt updatedAt isMinimized viewerDidAuthor authorAssociation
  author { __typename login }
  reactions(first: 20) { nodes { content createdAt user { login } } }`

const threadsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated viewerCanResolve path line originalLine diffSide
          resolvedBy { login }
          comments(first: 30) {
            pageInfo { hasNextPage endCursor }
            nodes { includesCreatedEdit ` + commentFields + ` }
          }
        }
      }
    }
  }
}`

const threadCommentsQuery = `query($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { includesCreatedEdit ` + commentFields + ` }
      }
    }
  }
}`

const commentsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { ` + commentFields + ` }
      }
    }
  }
}`

// wireComment mirrors commentFields. Everything that GitHub may leave out or
// null is a pointer or has a harmless zero value.
type wireComment struct {
	ID                  string
	FullDatabaseID      bigInt `json:"fullDatabaseId"`
	Body                string
	URL                 string
	CreatedAt           time.Time
	UpdatedAt           time.Time
	IsMinimized         bool
	IncludesCreatedEdit bool
	ViewerDidAuthor     bool
	AuthorAssociation   string
	Author              *struct {
		Typename string `json:"__typename"`
		Login    string
	}
	Reactions *struct {
		Nodes []*struct {
			Content   string
			CreatedAt time.Time
			User      *struct{ Login string }
		}
	}
}

type wireComments struct {
	PageInfo pageInfo
	Nodes    []*wireComment
}

type wireThread struct {
	ID               string
	IsResolved       bool
	IsOutdated       bool
	ViewerCanResolve bool
	Path             string
	Line             int
	OriginalLine     int
	DiffSide         string
	ResolvedBy       *struct{ Login string }
	Comments         *wireComments
}

// wirePull is the answer to both listings. A null on the way means that the
// pull request is not there for this token.
type wirePull struct {
	Repository *struct {
		PullRequest *struct {
			ReviewThreads *struct {
				PageInfo pageInfo
				Nodes    []*wireThread
			}
			Comments *wireComments
		}
	}
}

// Threads returns the review threads of pull request n with all their
// comments, in GitHub's order.
func (c *Client) Threads(ctx context.Context, n int) ([]Thread, error) {
	doing := fmt.Sprintf("list the threads of pull request %d", n)
	var all []Thread
	var after any
	for {
		var answer wirePull
		if err := c.query(ctx, threadsQuery, c.pullVars(n, after), &answer); err != nil {
			return nil, explainGraphQL(err, doing, "pull-requests: read")
		}
		if answer.Repository == nil || answer.Repository.PullRequest == nil {
			return nil, fmt.Errorf("%s: %w", doing, ErrNotFound)
		}
		page := answer.Repository.PullRequest.ReviewThreads
		if page == nil {
			return all, nil
		}
		for _, node := range page.Nodes {
			if node == nil {
				continue
			}
			t, err := c.thread(ctx, node)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", doing, err)
			}
			all = append(all, t)
		}
		if !page.PageInfo.HasNextPage || page.PageInfo.EndCursor == "" {
			return all, nil
		}
		after = page.PageInfo.EndCursor
	}
}

// thread converts one thread and reads the comments beyond the first page.
func (c *Client) thread(ctx context.Context, w *wireThread) (Thread, error) {
	t := Thread{
		ID: w.ID, Resolved: w.IsResolved, Outdated: w.IsOutdated, ViewerCanResolve: w.ViewerCanResolve,
		Path: w.Path, Line: w.Line, OriginalLine: w.OriginalLine, Side: w.DiffSide,
	}
	if w.ResolvedBy != nil {
		t.ResolvedBy = w.ResolvedBy.Login
	}
	page := w.Comments
	for page != nil {
		t.Comments = append(t.Comments, page.comments()...)
		if !page.PageInfo.HasNextPage || page.PageInfo.EndCursor == "" {
			break
		}
		var answer struct {
			Node *struct{ Comments *wireComments }
		}
		vars := map[string]any{"id": w.ID, "after": page.PageInfo.EndCursor}
		if err := c.query(ctx, threadCommentsQuery, vars, &answer); err != nil {
			return Thread{}, err
		}
		page = nil
		if answer.Node != nil {
			page = answer.Node.Comments
		}
	}
	return t, nil
}

// Comments returns the comments in the conversation of pull request n, oldest
// first, without those in threads.
func (c *Client) Comments(ctx context.Context, n int) ([]Comment, error) {
	doing := fmt.Sprintf("list the comments of pull request %d", n)
	var all []Comment
	var after any
	for {
		var answer wirePull
		if err := c.query(ctx, commentsQuery, c.pullVars(n, after), &answer); err != nil {
			return nil, explainGraphQL(err, doing, "pull-requests: read")
		}
		if answer.Repository == nil || answer.Repository.PullRequest == nil {
			return nil, fmt.Errorf("%s: %w", doing, ErrNotFound)
		}
		page := answer.Repository.PullRequest.Comments
		if page == nil {
			return all, nil
		}
		all = append(all, page.comments()...)
		if !page.PageInfo.HasNextPage || page.PageInfo.EndCursor == "" {
			return all, nil
		}
		after = page.PageInfo.EndCursor
	}
}

func (c *Client) pullVars(n int, after any) map[string]any {
	return map[string]any{"owner": c.owner, "name": c.repo, "number": n, "after": after}
}

func (w *wireComments) comments() []Comment {
	var all []Comment
	for _, node := range w.Nodes {
		if node != nil {
			all = append(all, node.comment())
		}
	}
	return all
}

func (w *wireComment) comment() Comment {
	m := Comment{
		ID: int64(w.FullDatabaseID), NodeID: w.ID, URL: w.URL, Body: w.Body,
		Author: "ghost", Association: w.AuthorAssociation, Mine: w.ViewerDidAuthor,
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		Edited: w.IncludesCreatedEdit, Minimized: w.IsMinimized,
	}
	if w.Author != nil {
		m.Author, m.AuthorType = restLogin(w.Author.Login, w.Author.Typename), w.Author.Typename
	}
	if w.Reactions != nil {
		for _, r := range w.Reactions.Nodes {
			if r == nil {
				continue
			}
			by := "ghost"
			if r.User != nil {
				by = r.User.Login
			}
			m.Reactions = append(m.Reactions, Reaction{Content: reactionNames[r.Content], By: by, At: r.CreatedAt})
		}
	}
	return m
}

// restLogin gives a GraphQL login the form that the REST API, the events and
// the people use: GraphQL leaves "[bot]" out.
func restLogin(login, typename string) string {
	if typename == "Bot" && !strings.HasSuffix(login, "[bot]") {
		return login + "[bot]"
	}
	return ghostly(login)
}
