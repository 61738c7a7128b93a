package review

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// A poll begins far enough back for what could not be read, and never before
// crev's first comment.
func TestSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	learned := func(at time.Time) ledger.Event {
		return ledger.Event{At: now, Payload: ledger.Payload{Learned: &ledger.Learned{Key: "r1@" + at.Format(time.RFC3339)}}}
	}
	posted := func(at time.Time) ledger.Event {
		return ledger.Event{At: at, Payload: ledger.Payload{Posted: &ledger.Posted{}}}
	}
	for name, tt := range map[string]struct {
		past []ledger.Event
		want time.Time
	}{
		"nothing yet":                  {nil, ago(7)},
		"a comment of today":           {[]ledger.Event{posted(now)}, ago(7)},
		"an old comment, never polled": {[]ledger.Event{posted(ago(3)), posted(ago(40))}, ago(40)},
		"polled yesterday":             {[]ledger.Event{posted(ago(40)), learned(ago(9)), learned(ago(1))}, ago(8)},
		"an event of an older crev":    {[]ledger.Event{posted(ago(20)), {At: now, Payload: ledger.Payload{Learned: &ledger.Learned{}}}}, ago(20)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &learner{job: &job{past: tt.past, d: Deps{Now: func() time.Time { return now }}}}
			if got := l.since(); !got.Equal(tt.want) {
				t.Errorf("since() = %v, want %v", got, tt.want)
			}
		})
	}
}

// The comment of the event counts as it was then, and once.
func TestWithEvent(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	now := []Said{{ID: 1, Root: 1, Body: "edited", At: at.Add(time.Minute)}, {ID: 2, Root: 1, Body: "other", At: at.Add(2 * time.Minute)}}
	then := Said{ID: 1, Root: 1, Body: "first", At: at}
	for name, tt := range map[string]struct {
		heard *Said
		want  []string
	}{
		"no comment":       {nil, []string{"edited", "other"}},
		"edited since":     {&then, []string{"first", "edited", "other"}},
		"listed as it was": {&Said{ID: 2, Root: 1, Body: "other", At: at.Add(2 * time.Minute)}, []string{"edited", "other"}},
		"another kind":     {&Said{ID: 2, Body: "in the conversation", At: at.Add(2 * time.Minute)}, []string{"edited", "other", "in the conversation"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range withEvent(now, tt.heard) {
				got = append(got, s.Body)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("withEvent (-want +got):\n%s", diff)
			}
		})
	}
}
