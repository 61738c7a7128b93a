package crevtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// reply is an answer before it is written.
type reply struct {
	status int
	header http.Header
	body   any
	// raw is sent instead of body.
	raw []byte
	// cut closes the connection instead of answering.
	cut bool
}

// call is one API request.
type call struct {
	g     *GitHub
	token *token
	// raw is the body, at most 10 MiB of it.
	raw []byte
	// params are those in the path, query those behind it.
	params map[string]string
	query  url.Values
	// invisible is true when what the call posts is not shown later.
	invisible bool
	// nulls is true when a listing has null where it may have.
	nulls bool
	logged
}

// logged is what a handler tells the request log.
type logged struct {
	operation string
	fault     *Fault
}

// login is who makes the call, "" when nobody does.
func (c *call) login() string {
	if c.token == nil {
		return ""
	}
	return c.token.login
}

// serve wraps a handler: one request at a time, who asks, the log, the answer.
func (g *GitHub) serve(handle func(*call, *http.Request) *reply) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		raw, err := io.ReadAll(io.LimitReader(req.Body, 10<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		c := &call{g: g, raw: raw, query: req.URL.Query()}
		auth := req.Header.Get("Authorization")
		for _, scheme := range []string{"Bearer ", "token "} {
			if name, ok := strings.CutPrefix(auth, scheme); ok {
				c.token = g.tokens[name]
			}
		}
		var r *reply
		if c.token == nil {
			r = &reply{status: http.StatusUnauthorized, body: object{
				"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest", "status": "401",
			}}
		} else {
			r = handle(c, req)
		}
		entry := Request{Method: req.Method, Path: req.URL.Path, Operation: c.operation, Login: c.login(), Status: r.status}
		if c.fault != nil {
			entry.Fault = string(c.fault.Kind)
			r.cut = r.cut || c.fault.Kind == FaultCut
		}
		g.requests = append(g.requests, entry)
		if r.cut {
			cutConnection(w)
			return
		}
		write(w, r)
	}
}

// write sends an answer. Rate headers are those of a token with plenty left
// unless the answer has its own.
func write(w http.ResponseWriter, r *reply) {
	w.Header().Set("X-Ratelimit-Limit", "1000")
	w.Header().Set("X-Ratelimit-Remaining", "900")
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for name, values := range r.header {
		w.Header()[name] = values
	}
	body := r.raw
	if body == nil && r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(body)
}

// serveREST answers one REST request.
func (g *GitHub) serveREST(c *call, req *http.Request) *reply {
	checked, err := g.contract.request(req, c.raw)
	if checked != nil {
		c.operation, c.params = checked.operation, checked.params
	}
	if err != nil {
		return g.broken(c, err)
	}
	handler, ok := operations[c.operation]
	if !ok {
		return g.broken(c, fmt.Errorf("%s: this server cannot do that", c.operation))
	}
	c.fault = g.strike(req.Method + " " + req.URL.Path)
	if r, err := g.before(c.fault, false); err != nil || r != nil {
		if err != nil {
			return g.broken(c, err)
		}
		return r
	}
	c.invisible = c.fault != nil && c.fault.Kind == FaultInvisible
	if c.params["owner"] != "" && (!strings.EqualFold(c.params["owner"], g.Owner) || !strings.EqualFold(c.params["repo"], g.Repo)) {
		return notFound()
	}
	if need := handler.needs; need != "" && c.token.may[need] != "write" {
		return forbidden(notAccessible)
	}
	r := handler.do(c)
	body, err := json.Marshal(r.body)
	if err != nil {
		return g.broken(c, err)
	}
	if r.raw == nil && r.body != nil {
		r.raw = body
	}
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	if err := g.contract.answer(checked, r.status, header, r.raw); err != nil {
		return g.broken(c, err)
	}
	return r
}

// broken records a violation and answers 500.
func (g *GitHub) broken(c *call, err error) *reply {
	g.violate("%s: %v", c.login(), err)
	return &reply{status: http.StatusInternalServerError, body: object{
		"message": "contract violation: " + err.Error(),
	}}
}

func notFound() *reply {
	return &reply{status: http.StatusNotFound, body: object{
		"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404",
	}}
}

// refused is a 422 of the kind whose errors are sentences.
func refused(message string, errs ...string) *reply {
	body := object{"message": message, "documentation_url": "https://docs.github.com/rest"}
	if len(errs) > 0 {
		body["errors"] = errs
	}
	return &reply{status: http.StatusUnprocessableEntity, body: body}
}

// invalid is a 422 of the kind whose errors are objects.
func invalid(resource, field, code, message string) *reply {
	return &reply{status: http.StatusUnprocessableEntity, body: object{
		"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest",
		"errors": []any{object{"resource": resource, "field": field, "code": code, "message": message}},
	}}
}

func ok(body any) *reply      { return &reply{status: http.StatusOK, body: body} }
func created(body any) *reply { return &reply{status: http.StatusCreated, body: body} }

// decode reads the body of a request that has passed the contract.
func (c *call) decode(v any) error {
	if len(c.raw) == 0 {
		return errors.New("the body is empty")
	}
	return json.Unmarshal(c.raw, v)
}

func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.params[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// pull returns the pull request in the path, nil for none.
func (c *call) pull(param string) *pull {
	p, err := c.g.pull(int(c.number(param)))
	if err != nil {
		return nil
	}
	return p
}

// page answers with one page of a list and the link to the next.
func page[T any](c *call, all []T, render func(T) any) *reply {
	size, number := 30, 1
	if n, err := strconv.Atoi(c.query.Get("per_page")); err == nil && n > 0 {
		size = n
	}
	size = min(size, c.g.pageSize)
	if n, err := strconv.Atoi(c.query.Get("page")); err == nil && n > 0 {
		number = n
	}
	from := min((number-1)*size, len(all))
	to := min(from+size, len(all))
	out := make([]any, 0, to-from)
	for _, v := range all[from:to] {
		out = append(out, render(v))
	}
	r := ok(out)
	if to < len(all) {
		next := url.Values{}
		for k, v := range c.query {
			next[k] = v
		}
		next.Set("page", strconv.Itoa(number+1))
		r.header = http.Header{"Link": {fmt.Sprintf(`<%s/next?%s>; rel="next"`, c.g.APIURL, next.Encode())}}
	}
	return r
}
