package openai

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Waits between two attempts where the endpoint names none: 1 s, 2 s, 4 s, …
// each shortened by up to half at random.
const (
	firstWait = time.Second
	mostWait  = 30 * time.Second
)

// wait says how long to wait before attempt n+1 (n counts from 0). Retry-After
// is obeyed in full, however long.
func (c *Client) wait(h http.Header, n int) time.Duration {
	if d, ok := retryAfter(h, c.cfg.Now()); ok {
		return d
	}
	d := mostWait
	if n < 5 {
		d = min(firstWait<<n, mostWait)
	}
	return d - time.Duration(c.cfg.Rand()*float64(d/2))
}

// retryAfter reads Retry-After-Ms, and Retry-After in seconds or as a date.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return seconds(ms / 1000), true
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return seconds(s), true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// seconds converts without overflow; nobody waits longer than a day.
func seconds(s float64) time.Duration {
	const day = 24 * 60 * 60
	if !(s < day) {
		return day * time.Second
	}
	return time.Duration(s * float64(time.Second))
}

// pause waits d, unless the context would end before.
func (c *Client) pause(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && c.cfg.Now().Add(d).After(end) {
		return fmt.Errorf("it asks to wait %s, which is longer than this run may take: %w", d.Round(time.Second), context.DeadlineExceeded)
	}
	return c.cfg.Sleep(ctx, d)
}
