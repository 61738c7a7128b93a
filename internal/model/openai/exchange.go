package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"

	"github.com/crev-ratchet/crev/internal/model"
)

// Caps on what is read of one answer.
const (
	mostErrorBytes = 1 << 20
	mostReplyBytes = 32 << 20
)

// exchange is one HTTP request and what came back, kept raw because the library
// loses the text of errors that are lists, HTML or of the wrong content type.
type exchange struct {
	status int // 0 when nothing came back
	header http.Header
	body   []byte
	cut    bool // the body was longer than its cap

	completion *openai.ChatCompletion // nil unless it could be read
	err        error
}

// send does one HTTP request, without any retry.
func (c *Client) send(ctx context.Context, req model.Request, t traits, turns []model.Message) *exchange {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	ex := &exchange{}
	params, opts := c.params(req, t, turns)
	opts = append(opts, option.WithMiddleware(ex.keep))
	ex.completion, ex.err = c.chat.New(ctx, params, opts...)
	if ex.err != nil {
		ex.completion = nil
	}
	return ex
}

// keep is the middleware that reads the body and hands the library a copy.
func (ex *exchange) keep(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(r)
	if err != nil {
		return res, err
	}
	defer res.Body.Close()
	most := int64(mostReplyBytes)
	if res.StatusCode >= http.StatusBadRequest {
		most = mostErrorBytes
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		// A connection that breaks in the middle of a body is a fault of the
		// network, whatever the status was.
		return nil, err
	}
	if ex.cut = int64(len(body)) > most; ex.cut {
		body = body[:most]
	}
	ex.status, ex.header, ex.body = res.StatusCode, res.Header, body
	res.Body = io.NopCloser(bytes.NewReader(body))
	if json.Valid(body) {
		// Some gateways label JSON as text/plain, and the library goes by
		// the label.
		res.Header = res.Header.Clone()
		res.Header.Set("Content-Type", "application/json")
	}
	return res, nil
}

// complaint is what an endpoint says is wrong, in whatever shape it says it.
type complaint struct {
	message, kind, code, param string
}

// text is everything in lower case, to look for words in.
func (c complaint) text() string {
	return strings.ToLower(c.message + " " + c.kind + " " + c.code + " " + c.param)
}

// complaint reads the error in the body: {"error": {…}}, {"error": "…"},
// [{"error": {…}}], {"message": …}, {"detail": …}, HTML or plain text.
func (ex *exchange) complaint() complaint {
	body := bytes.TrimSpace(ex.body)
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		return complaint{message: plainText(ex.header.Get("Content-Type"), string(body))}
	}
	inner := outer
	if raw, ok := outer["error"]; ok {
		if json.Unmarshal(raw, &inner) != nil {
			return complaint{message: word(raw)}
		}
	}
	c := complaint{
		message: word(inner["message"]),
		kind:    word(inner["type"]),
		code:    word(inner["code"]),
		param:   word(inner["param"]),
	}
	if c.kind == "" {
		c.kind = word(inner["status"])
	}
	if c.message == "" {
		c.message = word(inner["detail"])
	}
	if c.message == "" {
		c.message = string(body)
	}
	return c
}

// word renders a JSON value for a message: strings without quotes, null as "".
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// plainText is what a page that is no JSON says: its title where it is HTML.
func plainText(contentType, body string) string {
	mediaType, _, err := mime.ParseMediaType(contentType)
	lower := strings.ToLower(body)
	if err == nil && mediaType != "text/html" && !strings.HasPrefix(lower, "<!doctype html") {
		return body
	}
	begin, end := strings.Index(lower, "<title>"), strings.Index(lower, "</title>")
	// ToLower may change lengths: then the positions are not good.
	if begin < 0 || end < begin || len(lower) != len(body) {
		return body
	}
	return "an HTML page titled " + strings.TrimSpace(body[begin+len("<title>"):end])
}

// errorInReply reports the error that some gateways put into a reply with status
// 200, and the status it stands for.
func (ex *exchange) errorInReply() (status int, found bool) {
	if ex.completion == nil || len(ex.completion.Choices) > 0 {
		return 0, false
	}
	var reply struct {
		Error *struct {
			Code json.RawMessage `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(ex.body, &reply) != nil || reply.Error == nil {
		return 0, false
	}
	if json.Unmarshal(reply.Error.Code, &status) != nil || status < 400 || status > 599 {
		status = http.StatusBadGateway
	}
	return status, true
}

// interrupted reports whether the request ended because its own time was up or
// the caller's context was.
func interrupted(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
