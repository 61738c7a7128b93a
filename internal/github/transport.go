package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What GitHub asks of a client, see
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
const (
	// maxAttempts bounds how often one request is sent.
	maxAttempts = 5
	// maxWait bounds a single wait even when the context has no deadline.
	maxWait = 15 * time.Minute
	// secondaryWait is the least wait when a secondary limit comes without a
	// Retry-After header; it doubles with each attempt.
	secondaryWait = time.Minute
	// attemptTimeout bounds one attempt, from connecting to the last byte.
	attemptTimeout = time.Minute
	// maxAnswer bounds what is read of one answer.
	maxAnswer = 32 << 20
	// writeBurst writes may follow each other at once, then one a second:
	// in no minute more than the 80 that create content.
	writeBurst = 20
)

// transport sends requests the way GitHub asks for: one write at a time, not
// too many a minute, waiting as long as it is told to. It repeats a request
// that GitHub turned away because of a limit, since that one was not carried
// out, and a read that was cut off. It never repeats a write whose outcome is
// unknown and never one that lacks a permission.
type transport struct {
	base  http.RoundTripper
	token string
	hosts map[string]bool
	log   *slog.Logger
	sleep func(context.Context, time.Duration) error
	now   func() time.Time

	// writing holds one token; who has it may write.
	writing chan struct{}
	pace    pace
}

func newTransport(base http.RoundTripper, cfg Config, hosts ...string) *transport {
	t := &transport{
		base:    base,
		token:   cfg.Token,
		hosts:   map[string]bool{},
		log:     cfg.Log,
		sleep:   cfg.Sleep,
		now:     cfg.Now,
		writing: make(chan struct{}, 1),
	}
	for _, h := range hosts {
		t.hosts[h] = true
	}
	return t
}

// readKey marks the context of a POST that only reads: a GraphQL query.
type readKey struct{}

func asRead(ctx context.Context) context.Context {
	return context.WithValue(ctx, readKey{}, true)
}

// RoundTrip implements http.RoundTripper. The answer it returns is complete in
// memory and carries no rate-limit headers, because go-github would act on
// them a second time, and on the wall clock.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	ctx := req.Context()
	read := req.Method == http.MethodGet || req.Method == http.MethodHead || ctx.Value(readKey{}) != nil
	if !read {
		select {
		case t.writing <- struct{}{}:
			defer func() { <-t.writing }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if d := t.pace.next(t.now()); d > 0 {
			if err := t.sleep(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	for attempt := 1; ; attempt++ {
		resp, err := t.once(req)
		limit := limitOf(resp)
		wait, reason := t.retry(resp, err, limit, read, attempt)
		if reason == "" {
			return resp, err
		}
		if attempt == maxAttempts || !t.affordable(ctx, wait) {
			if limit != nil {
				limit.Wait = wait
				return nil, limit
			}
			return resp, err
		}
		t.log.Warn("GitHub: waiting before the next try", "reason", reason,
			"wait", wait.Round(time.Second), "attempt", attempt, "request", req.Method+" "+req.URL.Path)
		if err := t.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// once sends the request one time and reads the whole answer.
func (t *transport) once(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), attemptTimeout)
	defer cancel()
	out := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		out.Body = body
	}
	// After a redirect the request comes here again with another host. The
	// token goes to no host but those it was given for.
	out.Header.Del("Authorization")
	if t.hosts[out.URL.Host] {
		out.Header.Set("Authorization", "Bearer "+t.token)
	}
	resp, err := t.base.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	resp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("read the answer: larger than %d bytes", maxAnswer)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.Request = req
	return resp, nil
}

// retry decides whether to send the request again: reason is "" for no, else
// why, and wait is how long to wait before. It strips the headers that
// RoundTrip promises to strip.
func (t *transport) retry(resp *http.Response, err error, limit *RateLimitError, read bool, attempt int) (wait time.Duration, reason string) {
	backoff := jitter(time.Second << (attempt - 1))
	if err != nil {
		if read && !errors.Is(err, context.Canceled) {
			return backoff, "connection cut"
		}
		return 0, ""
	}
	retryAfter, hasRetryAfter := seconds(resp.Header.Get("Retry-After"))
	reset, hasReset := seconds(resp.Header.Get("X-Ratelimit-Reset"))
	defer func() {
		for _, h := range []string{"Limit", "Remaining", "Reset", "Used", "Resource"} {
			resp.Header.Del("X-Ratelimit-" + h)
		}
		resp.Header.Del("Retry-After")
	}()
	switch {
	case limit == nil && resp.StatusCode >= 500 && read:
		return backoff, "status " + strconv.Itoa(resp.StatusCode)
	case limit == nil:
		return 0, ""
	case hasRetryAfter:
		return retryAfter, limit.kind()
	case !limit.Secondary && hasReset:
		// A reset in the past means that the clocks differ a little.
		return max(time.Unix(int64(reset/time.Second), 0).Sub(t.now()), 0) + jitter(time.Second), limit.kind()
	}
	return jitter(secondaryWait << (attempt - 1)), limit.kind()
}

// affordable reports whether the run can wait that long.
func (t *transport) affordable(ctx context.Context, wait time.Duration) bool {
	if wait > maxWait {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || t.now().Add(wait).Before(deadline)
}

// limitOf returns what kind of limit an answer reports, nil for none. GitHub
// says so in four ways: status 429; status 403 with a header or a message,
// where any other 403 is a missing permission; status 422 with the code
// "abuse"; and in GraphQL status 200 with an error of type RATE_LIMITED.
func limitOf(resp *http.Response) *RateLimitError {
	if resp == nil {
		return nil
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusForbidden, http.StatusTooManyRequests, http.StatusUnprocessableEntity:
	default:
		return nil
	}
	if resp.StatusCode == http.StatusOK && (resp.Request == nil || resp.Request.Method != http.MethodPost) {
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	var answer struct {
		Message string            `json:"message"`
		DocsURL string            `json:"documentation_url"`
		Errors  []json.RawMessage `json:"errors"`
	}
	// An answer that is no JSON object says nothing about limits.
	_ = json.Unmarshal(body, &answer)
	limit := &RateLimitError{Message: shorten(answer.Message)}
	spent := resp.Header.Get("X-Ratelimit-Remaining") == "0"
	text := strings.ToLower(answer.Message + " " + answer.DocsURL)
	switch resp.StatusCode {
	case http.StatusOK:
		for _, raw := range answer.Errors {
			var e struct{ Type, Message string }
			if json.Unmarshal(raw, &e) == nil && e.Type == "RATE_LIMITED" {
				limit.Message = shorten(e.Message)
				return limit
			}
		}
		return nil
	case http.StatusUnprocessableEntity:
		for _, raw := range answer.Errors {
			var e struct{ Code string }
			if json.Unmarshal(raw, &e) == nil && e.Code == "abuse" {
				limit.Secondary = true
				return limit
			}
		}
		return nil
	case http.StatusTooManyRequests:
		limit.Secondary = !spent
		return limit
	}
	switch {
	case spent:
		return limit
	case resp.Header.Get("Retry-After") != "",
		strings.Contains(text, "secondary rate limit"),
		strings.Contains(text, "secondary-rate-limits"),
		strings.Contains(text, "abuse"):
		limit.Secondary = true
		return limit
	}
	return nil
}

// kind names the limit for the log.
func (e *RateLimitError) kind() string {
	if e.Secondary {
		return "secondary rate limit"
	}
	return "hourly rate limit"
}

// seconds reads a header that holds a number of seconds.
func seconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > 1<<33 {
		return 0, false
	}
	return time.Duration(n) * time.Second, true
}

// jitter adds up to a quarter, so that jobs that were turned away together do
// not come back together.
func jitter(d time.Duration) time.Duration { return d + rand.N(d/4+1) }

// pace is a bucket of writeBurst writes that fills by one each second.
type pace struct {
	mu   sync.Mutex
	full time.Time
}

// next takes one write out of the bucket and returns how long to wait for it.
func (p *pace) next(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full.Before(now) {
		p.full = now
	}
	p.full = p.full.Add(time.Second)
	return max(p.full.Sub(now)-writeBurst*time.Second, 0)
}
