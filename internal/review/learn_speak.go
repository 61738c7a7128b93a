package review

import (
	"context"
	"errors"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
)

// answerMarker ends every answer, so that crev knows its own where it writes
// under a person's name.
const answerMarker = "\n\n<!-- crev:1 answer -->"

// speak answers, reacts and closes the threads of what was dismissed: at most
// once a comment, and only after what is said is in the ledger. What fails is
// named and not said again.
func (l *learner) speak(ctx context.Context) {
	for _, r := range l.replies {
		l.close(ctx, r)
		if !l.cfg.Rules.Answers {
			continue
		}
		var err error
		switch {
		case r.body != "":
			err = l.d.Conversation.Answer(ctx, r.to, l.redact(r.body)+answerMarker)
		case r.react != "":
			err = l.d.Conversation.React(ctx, r.to, r.react)
		}
		if err != nil {
			l.note("%s was not answered: %v", r.to.URL, err)
		}
	}
}

// close shows on GitHub that a defect is dismissed, without waiting for the next
// push.
func (l *learner) close(ctx context.Context, r reply) {
	if r.dismissed == "" || r.thread.Root == 0 || l.d.Forge == nil {
		return
	}
	d := l.stateOf(r.to.PR).Defect(r.dismissed)
	if d == nil || d.Status != ledger.Waived {
		return
	}
	report := &projection.Report{Repo: l.in.RepoURL, PR: r.to.PR, Head: l.talks[r.to.PR].Head}
	if err := l.d.Forge.Edit(ctx, r.thread.Root, l.redact(projection.Body(d, report))); err != nil {
		l.note("the comment of %s could not be updated: %v", d.ID, err)
	}
	switch err := l.d.Forge.SetResolved(ctx, r.thread.ID, true); {
	case errors.Is(err, ErrForbidden):
		l.note("threads stay as they are: %v", err)
	case err != nil:
		l.note("the thread of %s stays as it is: %v", d.ID, err)
	}
}
