package review

import (
	"context"
	"slices"
	"time"

	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
)

// distilled are the patterns that this run completed, in words, and who makes
// rules of them.
type distilled struct {
	distiller rule.Distiller
	patterns  []rule.Pattern
	wordings  []rule.Wording
}

// distil looks whether what was heard now and what was heard before make a
// pattern. Only patterns with a sign of this run are put into words: what was
// there before has been looked at.
func (l *learner) distil(ctx context.Context) {
	fresh := map[string]bool{}
	for _, e := range l.events {
		switch {
		case e.Signal != nil:
			fresh[e.Signal.From] = true
		case e.Missed != nil:
			fresh[e.Missed.From] = true
		case e.Dismissed != nil:
			fresh[e.Dismissed.From] = true
		}
	}
	if len(fresh) == 0 {
		return
	}
	d := l.cfg.Rules.Distiller()
	signals := RuleSignals(slices.Concat(l.past, l.events))
	patterns := slices.DeleteFunc(d.Patterns(signals, l.d.Now()), func(p rule.Pattern) bool {
		return !slices.ContainsFunc(p.Signals, func(s rule.Signal) bool { return fresh[s.From] })
	})
	if len(patterns) > 0 {
		l.distilled = distilled{d, patterns, l.wordings(ctx, patterns)}
	}
}

// wordings puts patterns into words, by the model where there is one.
func (l *learner) wordings(ctx context.Context, patterns []rule.Pattern) []rule.Wording {
	if l.noModel() == "" {
		for i := range patterns {
			for k := range patterns[i].Signals {
				patterns[i].Signals[k].Claim = l.redact(patterns[i].Signals[k].Claim)
			}
		}
		req := rule.WordingRequest(l.cfg.Model.Name, model.Fence(l.d.Rand, rule.SignalTexts(patterns)...), patterns)
		reply, err := l.complete(ctx, req, l.whole())
		if err == nil {
			var words []rule.Wording
			if words, err = rule.ReadWording(reply, patterns); err == nil {
				return words
			}
		}
		l.note("rules that nobody stated are put in plain words (%s)", failure(err))
	}
	var out []rule.Wording
	for _, p := range patterns {
		out = append(out, rule.PlainWording(p))
	}
	return out
}

// tend brings a pool up to date: rules of patterns, rules that ran out, and those
// for which the pool is too small. It returns the pool and a line a change.
func (l *learner) tend(ctx context.Context, pool *rule.Pool) (*rule.Pool, []string) {
	now := l.d.Now()
	var said []string
	change := func(what string, rules []rule.Rule) {
		for _, r := range rules {
			pool = pool.With(r)
			said = append(said, what+" "+r.ID+": "+r.Says+" ("+string(r.Kind)+", "+r.Scope.String()+"), "+string(r.Status))
		}
	}
	if d := l.distilled; len(d.patterns) > 0 {
		made, refused := d.distiller.Distil(d.patterns, d.wordings, pool, l.tracked, now)
		change("distilled rule", made)
		for _, r := range refused {
			l.d.Log.Info("a pattern became no rule", "pattern", r.Pattern.ID(), "reason", r.Reason)
		}
	}
	change("rule ran out", pool.Expire(now))
	asleep := l.overflow(ctx, pool, now)
	for i, r := range asleep {
		asleep[i] = r.WithStatus(rule.Dormant, rule.Change{By: "crev", At: rule.DateOf(now), Why: "the pool is full"})
	}
	change("rule put to sleep", asleep)
	return pool, said
}

// overflow are the rules for which the pool is too small. Only when it is are the
// teachers' points asked for: they take the history of the code.
func (l *learner) overflow(ctx context.Context, pool *rule.Pool, now time.Time) []rule.Rule {
	h := RuleHistory(l.past)
	_, asleep := pool.Fit(l.cfg.Rules.caps(), pool.Stats(h, now), now)
	if len(asleep) == 0 || l.d.Experts == nil {
		return asleep
	}
	points, err := l.d.Experts.TeachersPoints(ctx, pool.Active(now))
	if err != nil {
		l.note("the pool of rules is full, and who knows the code did not count for what stays: %v", err)
	}
	h.Points = points
	_, asleep = pool.Fit(l.cfg.Rules.caps(), pool.Stats(h, now), now)
	return asleep
}

// expiring reports whether a rule runs out by itself.
func (l *learner) expiring(now time.Time) bool { return len(l.pool.Expire(now)) > 0 }
