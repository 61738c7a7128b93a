package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path"
	"sort"
	"strings"

	gh "github.com/google/go-github/v66/github"
)

// File is one change of a commit.
type File struct {
	// Path is slash-separated, from the repository root, below .crev/.
	Path string
	// Content is the whole new content.
	Content []byte
	// Delete removes the file; Content is then ignored.
	Delete bool
}

// BranchHead returns the commit a branch points to, or ErrNotFound.
func (c *Client) BranchHead(ctx context.Context, branch string) (string, error) {
	ref, _, err := c.rest.Git.GetRef(ctx, c.owner, c.repo, "refs/heads/"+branch)
	if err != nil {
		return "", explain(err, "read branch "+branch, "contents: read")
	}
	return ref.GetObject().GetSHA(), nil
}

// CreateBranch makes a branch at a commit. One that is there already gives
// ErrExists, wherever it points.
func (c *Client) CreateBranch(ctx context.Context, branch, sha string) error {
	name := "refs/heads/" + branch
	find := func(ctx context.Context) (*gh.Reference, bool, error) {
		head, err := c.BranchHead(ctx, branch)
		if errors.Is(err, ErrNotFound) {
			return nil, false, nil
		}
		return nil, head == sha, err
	}
	_, err := once(ctx, c, find, func(ctx context.Context) (*gh.Reference, error) {
		ref, _, err := c.rest.Git.CreateRef(ctx, c.owner, c.repo, &gh.Reference{
			Ref: &name, Object: &gh.GitObject{SHA: &sha},
		})
		return ref, err
	})
	doing := "create branch " + branch
	if status(err) == http.StatusUnprocessableEntity && strings.Contains(message(err), "already exists") {
		return fmt.Errorf("%s: %w", doing, ErrExists)
	}
	return explain(err, doing, "contents: write")
}

const commitMutation = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`

// CommitFiles puts one commit on a branch of this repository and returns its
// SHA. expectedHead is the commit the caller read: when the branch is anywhere
// else, nothing is written and the error is ErrMoved. GitHub signs the commit
// in the name of the token's owner. A path that is not below .crev/ is refused
// with ErrOutsideCrev before anything is sent.
func (c *Client) CommitFiles(ctx context.Context, branch, expectedHead string, files []File, message string) (string, error) {
	doing := "commit to branch " + branch
	if len(files) == 0 {
		return "", fmt.Errorf("%s: no file to commit", doing)
	}
	headline, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	headline, body = strings.TrimSpace(headline), strings.TrimSpace(body)
	var additions, deletions []map[string]string
	for _, f := range sorted(files) {
		if err := onlyCrev(f.Path); err != nil {
			return "", fmt.Errorf("%s: %w", doing, err)
		}
		if f.Delete {
			deletions = append(deletions, map[string]string{"path": f.Path})
			continue
		}
		additions = append(additions, map[string]string{
			"path": f.Path, "contents": base64.StdEncoding.EncodeToString(f.Content),
		})
	}
	vars := map[string]any{"input": map[string]any{
		"branch":          map[string]any{"repositoryNameWithOwner": c.Repository(), "branchName": branch},
		"expectedHeadOid": expectedHead,
		"message":         map[string]any{"headline": headline, "body": body},
		"fileChanges":     map[string]any{"additions": list(additions), "deletions": list(deletions)},
	}}
	find := func(ctx context.Context) (string, bool, error) {
		return c.committed(ctx, branch, expectedHead, headline, body)
	}
	sha, err := once(ctx, c, find, func(ctx context.Context) (string, error) {
		var answer struct {
			CreateCommitOnBranch *struct{ Commit *struct{ OID string } }
		}
		if err := c.mutate(ctx, commitMutation, vars, &answer); err != nil {
			return "", err
		}
		if answer.CreateCommitOnBranch == nil || answer.CreateCommitOnBranch.Commit == nil {
			return "", graphQLErrors{{Message: "no commit was made"}}
		}
		return answer.CreateCommitOnBranch.Commit.OID, nil
	})
	if errs, ok := errors.AsType[graphQLErrors](err); ok && errs.stale() {
		return "", fmt.Errorf("%s at %.12s: %w", doing, expectedHead, ErrMoved)
	}
	return sha, explainGraphQL(err, doing, "contents: write")
}

// committed looks whether a commit whose outcome is unknown was made. ErrMoved
// means that the branch went somewhere else.
func (c *Client) committed(ctx context.Context, branch, parent, headline, body string) (string, bool, error) {
	head, err := c.BranchHead(ctx, branch)
	if err != nil || head == parent {
		return "", false, err
	}
	commit, _, err := c.rest.Git.GetCommit(ctx, c.owner, c.repo, head)
	if err != nil {
		return "", false, explain(err, "read commit "+head, "contents: read")
	}
	want := headline
	if body != "" {
		want += "\n\n" + body
	}
	if len(commit.Parents) == 1 && commit.Parents[0].GetSHA() == parent && sameText(commit.GetMessage(), want) {
		return head, true, nil
	}
	return "", false, ErrMoved
}

// stale reports whether the branch was not where it was expected.
func (e graphQLErrors) stale() bool {
	if e.hasType("STALE_DATA") {
		return true
	}
	for _, one := range e {
		if strings.Contains(one.Message, "Expected branch to point to") {
			return true
		}
	}
	return false
}

// onlyCrev refuses every path that is not a plain file name below .crev/.
func onlyCrev(name string) error {
	if !strings.HasPrefix(name, ".crev/") || path.Clean(name) != name ||
		strings.ContainsAny(name, "\\\x00\n\r:") || strings.Contains(strings.ToLower(name)+"/", "/.git/") {
		return fmt.Errorf("%w: %q", ErrOutsideCrev, name)
	}
	return nil
}

func sorted(files []File) []File {
	out := append([]File(nil), files...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}

// list makes sure that an empty list is sent as [] and not as null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
