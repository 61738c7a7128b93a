package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// graphQLError is what GitHub lists in an answer whose HTTP status is 200.
type graphQLError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// graphQLErrors are the errors of one answer.
type graphQLErrors []graphQLError

func (e graphQLErrors) Error() string {
	var parts []string
	for _, one := range e {
		parts = append(parts, one.Message)
	}
	return "GitHub's GraphQL API answers: " + shorten(strings.Join(parts, "; "))
}

// hasType reports whether one of the errors is of a type, for example
// "FORBIDDEN".
func (e graphQLErrors) hasType(typ string) bool {
	for _, one := range e {
		if one.Type == typ {
			return true
		}
	}
	return false
}

// query runs a GraphQL query and decodes its data into out. A query may be
// repeated by the transport; mutate may not.
func (c *Client) query(ctx context.Context, text string, vars map[string]any, out any) error {
	return c.mutate(asRead(ctx), text, vars, out)
}

// mutate runs a GraphQL mutation.
func (c *Client) mutate(ctx context.Context, text string, vars map[string]any, out any) error {
	req, err := c.rest.NewRequest(http.MethodPost, c.graphQLURL,
		map[string]any{"query": text, "variables": vars})
	if err != nil {
		return err
	}
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors graphQLErrors   `json:"errors"`
	}
	if _, err := c.rest.Do(ctx, req, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		return answer.Errors
	}
	if err := json.Unmarshal(answer.Data, out); err != nil {
		return fmt.Errorf("read the GraphQL answer: %w", err)
	}
	return nil
}

// explainGraphQL is explain for an error of query or mutate.
func explainGraphQL(err error, doing, needs string) error {
	errs, ok := errors.AsType[graphQLErrors](err)
	switch {
	case !ok:
		return explain(err, doing, needs)
	case errs.hasType("NOT_FOUND"):
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	case errs.hasType("FORBIDDEN"), errs.hasType("INSUFFICIENT_SCOPES"):
		return &ForbiddenError{Doing: doing, Needs: needs, Message: errs[0].Message}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// pageInfo is the cursor of a GraphQL connection.
type pageInfo struct {
	HasNextPage bool
	EndCursor   string
}
