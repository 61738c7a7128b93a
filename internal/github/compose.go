package github

import (
	"context"
	"errors"
	"fmt"

	gh "github.com/google/go-github/v66/github"
)

// Blob is a file that GitHub has already.
type Blob struct {
	// Path is slash-separated, from the repository root, below .crev/.
	Path string
	// SHA is the id of its content, "" to remove the file.
	SHA string
}

// Composition is a commit that is put together from what is on GitHub: the files
// of one commit with others laid over them.
type Composition struct {
	// Base is the commit whose files it has.
	Base string
	// Parents are the commits that it continues.
	Parents []string
	// Blobs and Files are laid over them, the latter last.
	Blobs   []Blob
	Files   []File
	Message string
}

// Compose makes a commit that no branch has yet, and returns its SHA. A path
// that is not below .crev/ is refused with ErrOutsideCrev. GitHub signs what a
// bot composes, and nothing that a person's token does.
func (c *Client) Compose(ctx context.Context, in Composition) (string, error) {
	doing := "compose a commit on " + in.Base
	entries := in.entries()
	for _, e := range entries {
		if err := onlyCrev(e.GetPath()); err != nil {
			return "", fmt.Errorf("%s: %w", doing, err)
		}
	}
	base, _, err := c.rest.Git.GetCommit(ctx, c.owner, c.repo, in.Base)
	if err != nil {
		return "", explain(err, doing, "contents: read")
	}
	tree := base.GetTree()
	if len(entries) > 0 {
		if tree, _, err = c.rest.Git.CreateTree(ctx, c.owner, c.repo, tree.GetSHA(), entries); err != nil {
			return "", explain(err, doing, "contents: write")
		}
	}
	commit := &gh.Commit{Message: &in.Message, Tree: tree}
	for _, p := range in.Parents {
		commit.Parents = append(commit.Parents, &gh.Commit{SHA: &p})
	}
	made, _, err := c.rest.Git.CreateCommit(ctx, c.owner, c.repo, commit, nil)
	return made.GetSHA(), explain(err, doing, "contents: write")
}

// entries are the changes as GitHub takes them.
func (in Composition) entries() []*gh.TreeEntry {
	const regular, blob = "100644", "blob"
	var out []*gh.TreeEntry
	for _, b := range in.Blobs {
		e := &gh.TreeEntry{Path: gh.String(b.Path), Mode: gh.String(regular), Type: gh.String(blob)}
		if b.SHA != "" {
			e.SHA = gh.String(b.SHA)
		}
		out = append(out, e)
	}
	for _, f := range sorted(in.Files) {
		e := &gh.TreeEntry{Path: gh.String(f.Path), Mode: gh.String(regular), Type: gh.String(blob)}
		if !f.Delete {
			e.Content = gh.String(string(f.Content))
		}
		out = append(out, e)
	}
	return out
}

const moveMutation = `mutation($input: UpdateRefsInput!) {
  updateRefs(input: $input) { clientMutationId }
}`

// MoveBranch lets a branch point to another commit if it still points to from:
// GitHub compares and moves in one step. When it points anywhere else nothing
// happens and the error is ErrMoved. Unless force is set, to has to continue
// from.
func (c *Client) MoveBranch(ctx context.Context, branch, from, to string, force bool) error {
	doing := "move branch " + branch
	repo, _, err := c.rest.Repositories.Get(ctx, c.owner, c.repo)
	if err != nil {
		return explain(err, doing, "metadata: read")
	}
	vars := map[string]any{"input": map[string]any{
		"repositoryId": repo.GetNodeID(),
		"refUpdates": []map[string]any{{
			"name": "refs/heads/" + branch, "beforeOid": from, "afterOid": to, "force": force,
		}},
	}}
	find := func(ctx context.Context) (struct{}, bool, error) {
		head, err := c.BranchHead(ctx, branch)
		if err == nil && head != from && head != to {
			err = ErrMoved
		}
		return struct{}{}, head == to, err
	}
	_, err = once(ctx, c, find, func(ctx context.Context) (struct{}, error) {
		var answer struct {
			UpdateRefs *struct{ ClientMutationID *string }
		}
		return struct{}{}, c.mutate(ctx, moveMutation, vars, &answer)
	})
	if _, refused := errors.AsType[graphQLErrors](err); refused {
		// GitHub does not document how it says that the branch is elsewhere.
		if head, readErr := c.BranchHead(ctx, branch); errors.Is(readErr, ErrNotFound) || readErr == nil && head != from {
			return fmt.Errorf("%s from %.12s: %w", doing, from, ErrMoved)
		}
	}
	return explainGraphQL(err, doing, "contents: write")
}
