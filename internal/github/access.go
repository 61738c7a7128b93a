package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Identity is who the token belongs to.
type Identity struct {
	// Login is in its REST form, "github-actions[bot]" for a GITHUB_TOKEN.
	Login  string
	NodeID string
}

// Self returns the token's owner. It asks each time: a run needs it once.
func (c *Client) Self(ctx context.Context) (Identity, error) {
	var answer struct {
		Viewer struct{ ID, Login string }
	}
	if err := c.query(ctx, "{ viewer { id login } }", nil, &answer); err != nil {
		return Identity{}, explainGraphQL(err, "ask who the token belongs to", "metadata: read")
	}
	return Identity{Login: answer.Viewer.Login, NodeID: answer.Viewer.ID}, nil
}

// Permission is what somebody may do in the repository. The zero value means
// that it could not be found out; it grants nothing.
type Permission string

// The permissions, from least to most.
const (
	PermissionUnknown  Permission = ""
	PermissionNone     Permission = "none"
	PermissionRead     Permission = "read"
	PermissionTriage   Permission = "triage"
	PermissionWrite    Permission = "write"
	PermissionMaintain Permission = "maintain"
	PermissionAdmin    Permission = "admin"
)

// CanWrite reports whether the person may push, and so teach and dismiss.
func (p Permission) CanWrite() bool {
	return p == PermissionWrite || p == PermissionMaintain || p == PermissionAdmin
}

// Permission returns what login may do. A token that may not ask (403) gets
// PermissionUnknown and no error: the caller treats the person's word as
// pending. On a public repository everybody has at least PermissionRead.
func (c *Client) Permission(ctx context.Context, login string) (Permission, error) {
	level, _, err := c.rest.Repositories.GetPermissionLevel(ctx, c.owner, c.repo, login)
	switch status(err) {
	case http.StatusForbidden:
		return PermissionUnknown, nil
	case http.StatusNotFound:
		return PermissionNone, nil
	}
	if err != nil {
		return PermissionUnknown, explain(err, "read the permission of "+login, "metadata: read")
	}
	// role_name tells triage from read and maintain from write, and may be
	// a role of the organisation's own; permission is always one of four.
	for _, name := range []string{level.GetRoleName(), level.GetPermission()} {
		switch p := Permission(strings.ToLower(name)); p {
		case PermissionNone, PermissionRead, PermissionTriage, PermissionWrite, PermissionMaintain, PermissionAdmin:
			return p, nil
		}
	}
	return PermissionUnknown, nil
}

// Grant says whether a token may do something. The zero value is unknown.
type Grant uint8

// The grants.
const (
	GrantUnknown Grant = iota
	Granted
	Refused
)

// String returns "unknown", "granted" or "refused".
func (g Grant) String() string {
	return [...]string{"unknown", "granted", "refused"}[min(g, Refused)]
}

// Access is what the token may write.
type Access struct {
	// PullRequests is for reviews, comments and the summary.
	PullRequests Grant
	// Checks is for the check run.
	Checks Grant
	// Contents is for ledger commits and for resolving threads.
	Contents Grant
}

// noCommit is an object id that no repository has.
const noCommit = "0000000000000000000000000000000000000000"

// Access finds out what the token may write, before money is spent on a review
// that could not be posted. n is the pull request to review; with 0 the grant
// for pull requests stays unknown.
//
// GitHub has no call that lists the permissions of a GITHUB_TOKEN. So three
// requests are sent that GitHub cannot carry out, because each names the commit
// 000…0: a token that lacks the permission is turned away with 403 or 404
// before GitHub looks at the content, any other is told that the content is
// wrong (422). Nothing is created in either case.
func (c *Client) Access(ctx context.Context, n int) (Access, error) {
	var a Access
	var err error
	if n != 0 {
		if a.PullRequests, err = c.probe(ctx, c.restURL("pulls/%d/reviews", n), map[string]any{
			"commit_id": noCommit, "event": "COMMENT", "body": "",
		}); err != nil {
			return Access{}, err
		}
	}
	if a.Checks, err = c.probe(ctx, c.restURL("check-runs"), map[string]any{
		"name": "crev access probe", "head_sha": noCommit, "status": "queued",
	}); err != nil {
		return Access{}, err
	}
	a.Contents, err = c.probe(ctx, c.restURL("git/refs"), map[string]any{
		"ref": "refs/heads/crev-access-probe", "sha": noCommit,
	})
	if err != nil {
		return Access{}, err
	}
	return a, nil
}

// probe sends one request that cannot succeed and reads why it did not.
func (c *Client) probe(ctx context.Context, path string, body any) (Grant, error) {
	err := c.call(ctx, http.MethodPost, path, body, nil)
	switch status(err) {
	case http.StatusUnprocessableEntity, http.StatusConflict:
		return Granted, nil
	case http.StatusForbidden, http.StatusNotFound:
		return Refused, nil
	case http.StatusUnauthorized:
		return GrantUnknown, explain(err, "ask what the token may write", "")
	}
	if err == nil {
		return GrantUnknown, fmt.Errorf("ask what the token may write: GitHub accepted %s for a commit that does not exist", path)
	}
	return GrantUnknown, nil
}
