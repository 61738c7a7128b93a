package crevtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// contract is GitHub's own description of its REST API: it finds the operation
// of a request, checks requests and answers, and has example answers.
type contract struct {
	router   routers.Router
	examples string
}

// apiPath is where the REST API is served.
const apiPath = "/api/v3"

// githubContract is read once: it takes longer than most tests.
var githubContract = sync.OnceValues(func() (*contract, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	return loadContract(filepath.Join(root, "testdata/openapi"))
})

// multiSegment are path parameters that hold slashes, which OpenAPI 3.0 cannot
// say.
var multiSegment = strings.NewReplacer(
	"/contents/{path}", "/contents/{path:.+}",
	"/git/refs/{ref}", "/git/refs/{ref:.+}",
	"/git/ref/{ref}", "/git/ref/{ref:.+}",
	"/git/matching-refs/{ref}", "/git/matching-refs/{ref:.+}",
)

func loadContract(dir string) (*contract, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "github-subset.json"))
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData([]byte(multiSegment.Replace(string(raw))))
	if err != nil {
		return nil, fmt.Errorf("read GitHub's OpenAPI text: %w", err)
	}
	doc.Servers = openapi3.Servers{{URL: apiPath}}
	// "When in_reply_to is specified, all parameters other than body are
	// ignored": what the text says the schema cannot.
	// https://docs.github.com/en/rest/pulls/comments
	create := doc.Paths.Find("/repos/{owner}/{repo}/pulls/{pull_number}/comments").Post
	create.RequestBody.Value.Content["application/json"].Schema.Value.Required = []string{"body"}
	// The repository of a head whose fork was deleted is null.
	for _, name := range []string{"pull-request", "pull-request-simple"} {
		head := doc.Components.Schemas[name].Value.Properties["head"].Value
		repo := head.Properties["repo"]
		null := *repo.Value
		null.Nullable = true
		head.Properties["repo"] = &openapi3.SchemaRef{Value: &null}
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("read GitHub's OpenAPI text: %w", err)
	}
	return &contract{router: router, examples: filepath.Join(dir, "examples")}, nil
}

// checked is a request that fits GitHub's description.
type checked struct {
	input     *openapi3filter.RequestValidationInput
	operation string
	params    map[string]string
}

// errNoOperation means that GitHub has no such operation in the subset.
var errNoOperation = errors.New("no such operation in testdata/openapi")

// request finds the operation of a request and checks its parameters and body.
func (c *contract) request(req *http.Request, body []byte) (*checked, error) {
	req = req.Clone(context.Background())
	req.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := c.router.FindRoute(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, errNoOperation)
	}
	input := &openapi3filter.RequestValidationInput{
		Request: req, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true,
		},
	}
	checked := &checked{input: input, operation: route.Operation.OperationID, params: params}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		return checked, fmt.Errorf("%s: request %s: %s", checked.operation, shortBody(body), firstLine(err))
	}
	return checked, nil
}

// answer checks an answer against the operation's schema. A status that GitHub
// does not list for the operation is not checked.
func (c *contract) answer(req *checked, status int, header http.Header, body []byte) error {
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: req.input, Status: status, Header: header,
		Options: &openapi3filter.Options{},
	}
	input.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		return fmt.Errorf("%s: answer %d: %s", req.operation, status, firstLine(err))
	}
	return nil
}

// example returns one of GitHub's example answers; of a list, the first item.
func (c *contract) example(name string) (json.RawMessage, error) {
	raw, err := os.ReadFile(filepath.Join(c.examples, name+".json"))
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		return list[0], nil
	}
	return raw, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\nSchema:")
	return strings.Join(strings.Fields(line), " ")
}

func shortBody(body []byte) string {
	if len(body) > 200 {
		return string(body[:200]) + "…"
	}
	return string(body)
}
