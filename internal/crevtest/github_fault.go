package crevtest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Fault makes the next requests go wrong in one of the ways GitHub goes wrong.
type Fault struct {
	// Kind is one of the fault kinds.
	Kind FaultKind
	// Match is a regular expression on "METHOD PATH", with the root fields
	// of a GraphQL request behind the path, for example
	// "POST .*/reviews$" or "graphql resolveReviewThread"; "" matches all.
	Match string
	// Times is how many requests it strikes, 1 when 0; after it skipped
	// Skip of those that match.
	Times, Skip int
	// RetryAfter is the header of FaultSecondary and FaultTooMany in
	// seconds; negative leaves it out.
	RetryAfter int
	// Branch and Commit are what FaultHeadMoves does: the branch points to
	// the commit before the request is served.
	Branch, Commit string
	// Pull and Merge are what FaultMerge does.
	Pull  int
	Merge Merge

	match *regexp.Regexp
}

// FaultKind names what goes wrong.
type FaultKind string

// The faults.
const (
	// FaultSecondary is 403 with the text of the secondary rate limit.
	FaultSecondary FaultKind = "secondary"
	// FaultPrimary is 403 with x-ratelimit-remaining: 0 and a reset one
	// minute ahead of the server's clock.
	FaultPrimary FaultKind = "primary"
	// FaultTooMany is 429.
	FaultTooMany FaultKind = "429"
	// FaultAbuse is 422 with the code "abuse".
	FaultAbuse FaultKind = "abuse"
	// FaultLine is 422 as for a line that is not in the diff.
	FaultLine FaultKind = "line"
	// FaultConflict is 409, and for GraphQL a branch that has moved.
	FaultConflict FaultKind = "conflict"
	// FaultBadGateway is 502 before the request is served.
	FaultBadGateway FaultKind = "502"
	// FaultCut serves the request and cuts the connection before the answer.
	FaultCut FaultKind = "cut"
	// FaultCutBefore cuts the connection and serves nothing.
	FaultCutBefore FaultKind = "cut-before"
	// FaultInvisible accepts a review and never shows its comments.
	FaultInvisible FaultKind = "invisible"
	// FaultHeadMoves moves a branch and then serves the request.
	FaultHeadMoves FaultKind = "head-moves"
	// FaultMerge merges a pull request and then serves the request.
	FaultMerge FaultKind = "merge"
	// FaultForbidden is 403 for a missing permission, and for GraphQL an
	// error of type FORBIDDEN.
	FaultForbidden FaultKind = "forbidden"
	// FaultNulls answers a GraphQL listing with null where it may be null.
	FaultNulls FaultKind = "nulls"
)

var faultKinds = []FaultKind{
	FaultSecondary, FaultPrimary, FaultTooMany, FaultAbuse, FaultLine, FaultConflict, FaultBadGateway,
	FaultCut, FaultCutBefore, FaultInvisible, FaultHeadMoves, FaultMerge, FaultForbidden, FaultNulls,
}

// Break adds a fault. Faults are tried in the order they were added; the first
// one that matches strikes.
func (g *GitHub) Break(f Fault) error {
	match, err := regexp.Compile(f.Match)
	if err != nil {
		return fmt.Errorf("fault %s: %w", f.Kind, err)
	}
	f.match = match
	if f.Times == 0 {
		f.Times = 1
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, &f)
	return nil
}

// strike returns the fault for a request, nil for none.
func (g *GitHub) strike(request string) *Fault {
	for _, f := range g.faults {
		if f.Times == 0 || !f.match.MatchString(request) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		f.Times--
		return f
	}
	return nil
}

// before does what a fault does before the request is served. It returns an
// answer when the request is not served at all.
func (g *GitHub) before(f *Fault, graphQL bool) (*reply, error) {
	if f == nil {
		return nil, nil
	}
	retryAfter := http.Header{}
	if f.RetryAfter >= 0 {
		retryAfter.Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	const docs = "https://docs.github.com/rest/overview/"
	switch f.Kind {
	case FaultSecondary:
		return &reply{status: http.StatusForbidden, header: retryAfter, body: object{
			"message":           "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
			"documentation_url": docs + "rate-limits-for-the-rest-api#about-secondary-rate-limits",
		}}, nil
	case FaultPrimary:
		return &reply{status: http.StatusForbidden, header: http.Header{
			"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"0"},
			"X-Ratelimit-Reset": {strconv.FormatInt(g.now.Unix()+60, 10)},
		}, body: object{"message": "API rate limit exceeded for installation.", "documentation_url": docs}}, nil
	case FaultTooMany:
		return &reply{status: http.StatusTooManyRequests, header: retryAfter, body: object{
			"message": "Too many requests", "documentation_url": docs,
		}}, nil
	case FaultAbuse:
		return &reply{status: http.StatusUnprocessableEntity, body: object{
			"message": "Validation Failed", "documentation_url": docs,
			"errors": []any{object{
				"resource": "PullRequestReviewComment", "code": "abuse", "field": "base",
				"message": "was submitted too quickly",
			}},
		}}, nil
	case FaultLine:
		return lineRefused(), nil
	case FaultConflict:
		if graphQL {
			return graphQLFailure("STALE_DATA", "Expected branch to point to another commit but it did not. Pull and try again."), nil
		}
		return &reply{status: http.StatusConflict, body: object{"message": "Conflict", "documentation_url": docs}}, nil
	case FaultBadGateway:
		return &reply{status: http.StatusBadGateway, raw: []byte("<html><h1>502 Bad Gateway</h1></html>")}, nil
	case FaultCutBefore:
		return &reply{cut: true}, nil
	case FaultForbidden:
		if graphQL {
			return graphQLFailure("FORBIDDEN", notAccessible), nil
		}
		return forbidden(notAccessible), nil
	case FaultHeadMoves:
		if err := g.git.setRef("refs/heads/"+f.Branch, f.Commit); err != nil {
			return nil, err
		}
		return nil, g.refresh()
	case FaultMerge:
		_, err := g.mergePull(f.Pull, f.Merge)
		return nil, err
	}
	return nil, nil
}

// notAccessible is what GitHub says to a token without the permission.
const notAccessible = "Resource not accessible by integration"

func forbidden(message string) *reply {
	return &reply{status: http.StatusForbidden, body: object{
		"message": message, "documentation_url": "https://docs.github.com/rest", "status": "403",
	}}
}

func parseFaultKind(s string) (FaultKind, error) {
	var names []string
	for _, k := range faultKinds {
		if string(k) == s {
			return k, nil
		}
		names = append(names, string(k))
	}
	return "", fmt.Errorf("no fault %q; there are %s", s, strings.Join(names, ", "))
}
