package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"
)

// Errors that a caller must tell apart. Methods return them wrapped.
var (
	// ErrNotFound means that GitHub does not show the thing to this token:
	// it does not exist, or the token may not read it.
	ErrNotFound = errors.New("not found on GitHub")
	// ErrMoved means that a branch was not where the caller expected it.
	// Read it again, apply the change again, and retry a bounded number of
	// times.
	ErrMoved = errors.New("the branch has moved")
	// ErrExists means that the branch to create is already there.
	ErrExists = errors.New("already exists on GitHub")
	// ErrForbidden means that the token lacks a permission. The error in the
	// chain is a *ForbiddenError that names it.
	ErrForbidden = errors.New("the token lacks a permission")
	// ErrRateLimited means that GitHub asked to wait longer than the run can.
	// The error in the chain is a *RateLimitError.
	ErrRateLimited = errors.New("GitHub's rate limit is reached")
	// ErrNothingToMerge means that a pull request would have no commits.
	ErrNothingToMerge = errors.New("there is no commit to merge")
	// ErrOutsideCrev means that a commit would touch a path that is not
	// below .crev/; nothing was sent.
	ErrOutsideCrev = errors.New("only files below .crev/ may be committed")
)

// ForbiddenError says which permission the token lacks. It is an ErrForbidden.
type ForbiddenError struct {
	// Doing is what was refused, for example "resolve a review thread".
	Doing string
	// Needs are the lines to add under permissions: in the workflow, for
	// example "contents: write and pull-requests: write".
	Needs string
	// Message is what GitHub answered.
	Message string
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%s: the token lacks a permission; add %s to the job's permissions (GitHub says %q)",
		e.Doing, e.Needs, e.Message)
}

// Is makes errors.Is(err, ErrForbidden) true.
func (e *ForbiddenError) Is(target error) bool { return target == ErrForbidden }

// RateLimitError says how long GitHub asked to wait when that is longer than
// the run can. It is an ErrRateLimited.
type RateLimitError struct {
	// Wait is the time GitHub asked for, counted from the answer.
	Wait time.Duration
	// Secondary is true for the limits on bursts and content, false for the
	// hourly budget.
	Secondary bool
	// Message is what GitHub answered.
	Message string
}

func (e *RateLimitError) Error() string {
	kind := "hourly"
	if e.Secondary {
		kind = "secondary"
	}
	return fmt.Sprintf("GitHub's %s rate limit is reached and asks to wait %s; run again later (GitHub says %q)",
		kind, e.Wait.Round(time.Second), e.Message)
}

// Is makes errors.Is(err, ErrRateLimited) true.
func (e *RateLimitError) Is(target error) bool { return target == ErrRateLimited }

// PullRequestRefusedError means that the token may not open pull requests: in
// most organisations the setting "Allow GitHub Actions to create and approve
// pull requests" is off. Print CompareURL so that a person can open it. It is
// an ErrForbidden.
type PullRequestRefusedError struct {
	// CompareURL is the page on which a person opens the pull request.
	CompareURL string
	// Message is what GitHub answered.
	Message string
}

func (e *PullRequestRefusedError) Error() string {
	return fmt.Sprintf("open a pull request: not permitted for this token; open it once at %s, or allow Actions to create pull requests in the repository's settings (GitHub says %q)",
		e.CompareURL, e.Message)
}

// Is makes errors.Is(err, ErrForbidden) true.
func (e *PullRequestRefusedError) Is(target error) bool { return target == ErrForbidden }

// explain turns an error of a REST call into one of this package's: doing is
// the action and its object, needs is the permission it takes.
func explain(err error, doing, needs string) error {
	if err == nil {
		return nil
	}
	switch status(err) {
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	case http.StatusUnauthorized:
		return fmt.Errorf("%s: GitHub refuses the token (401); check github_token", doing)
	case http.StatusForbidden:
		return &ForbiddenError{Doing: doing, Needs: needs, Message: message(err)}
	case http.StatusUnprocessableEntity:
		return fmt.Errorf("%s: GitHub refuses the content: %s", doing, message(err))
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// status returns the HTTP status of an answer that was an error, or 0 when
// there was no answer.
func status(err error) int {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok && e.Response != nil {
		return e.Response.StatusCode
	}
	return 0
}

// message returns GitHub's own words: the message and what it lists below it.
func message(err error) string {
	e, ok := errors.AsType[*gh.ErrorResponse](err)
	if !ok {
		return shorten(err.Error())
	}
	parts := []string{e.Message}
	for _, sub := range e.Errors {
		switch {
		case sub.Message != "":
			parts = append(parts, sub.Message)
		case sub.Field != "":
			parts = append(parts, sub.Field+" "+sub.Code)
		}
	}
	return shorten(strings.Join(parts, ": "))
}

// shorten keeps a foreign message to one line of at most 500 bytes.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "") + "…"
	}
	return s
}

// unknownOutcome reports whether a write may have been carried out although it
// ended in an error: the connection was cut, or a server in between gave up.
func unknownOutcome(err error) bool {
	if err == nil || errors.Is(err, ErrRateLimited) {
		return false
	}
	if _, answered := errors.AsType[graphQLErrors](err); answered {
		return false
	}
	code := status(err)
	return code == 0 || code >= 500
}
