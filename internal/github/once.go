package github

import (
	"context"
	"fmt"
	"time"
)

// createAttempts bounds how often a creation is tried when its outcome stays
// unknown.
const createAttempts = 3

// once creates a thing exactly once. When send ends without an answer, the
// thing may exist all the same: find looks it up, and only when it is not
// there is it sent again.
func once[T any](ctx context.Context, c *Client, find func(context.Context) (T, bool, error), send func(context.Context) (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		got, err := send(ctx)
		if !unknownOutcome(err) || attempt == createAttempts {
			return got, err
		}
		if err := c.settle(ctx, attempt); err != nil {
			return got, err
		}
		found, ok, findErr := find(ctx)
		if findErr != nil {
			return got, fmt.Errorf("%w (and looking for it: %w)", err, findErr)
		}
		if ok {
			return found, nil
		}
	}
}

// settle gives GitHub a moment: what was just written is not always in the
// next listing.
func (c *Client) settle(ctx context.Context, attempt int) error {
	return c.sleep(ctx, time.Duration(attempt)*time.Second)
}
