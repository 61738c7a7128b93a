package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
	"github.com/crev-ratchet/crev/internal/validator"
)

// configuration reads the work tree's: what a review will use is that of the
// branch a change goes to.
func (d *doctor) configuration(root *os.Root) {
	var err error
	d.config, err = review.ReadConfig(root.FS())
	switch _, missing := root.Stat(review.ConfigPath); {
	case err != nil:
		d.config = review.DefaultConfig()
		d.say("configuration", healthFail, err.Error(), "mend the line; docs/configuration.md has every key, crev schema config is for editors")
	case errors.Is(missing, fs.ErrNotExist):
		d.say("configuration", healthOK, "none, so the defaults hold; crev init writes one with comments", "")
	default:
		d.say("configuration", healthOK, review.ConfigPath+" is valid; the one on the branch that a change goes to counts", "")
	}
}

func (d *doctor) validators(root *os.Root) {
	folder, err := fs.Sub(root.FS(), validator.Root)
	if err != nil {
		d.say("validators", healthFail, err.Error(), "")
		return
	}
	loaded, problems := validator.Load(folder)
	d.scripts = slices.ContainsFunc(loaded, func(v validator.Validator) bool { return v.Kind != validator.Pattern })
	says := plural(len(loaded), "validator") + " of the team, " + plural(len(d.config.Builtins), "built-in") + " switched on"
	if len(problems) > 0 {
		d.say("validators", healthFail, fmt.Sprintf("%s; %v%s", says, problems[0], andMore(len(problems))),
			"mend it; crev validators list shows all")
		return
	}
	d.say("validators", healthOK, says, "")
}

func (d *doctor) rules(root *os.Root) {
	pool, problems, err := rule.Load(root.FS())
	switch {
	case err != nil:
		d.say("rules", healthWarn, err.Error(), "")
	case len(problems) > 0:
		d.say("rules", healthWarn, fmt.Sprintf("%v%s", problems[0], andMore(len(problems))), "mend it; a rule that cannot be read has no effect")
	default:
		d.say("rules", healthOK, plural(len(pool.Rules()), "rule"), "")
	}
}

// ledger does what ledger verify does.
func (d *doctor) ledger(root *os.Root) {
	tree, err := fs.Sub(root.FS(), ledger.Folder)
	if err != nil {
		d.say("ledger", healthFail, err.Error(), "")
		return
	}
	events, problems := ledger.ReadAll(tree)
	problems = append(problems, ledger.CheckTransitions(events, nil)...)
	switch {
	case len(problems) > 0:
		d.say("ledger", healthFail, fmt.Sprintf("%s, %s; %v%s", plural(len(events), "event"), plural(len(problems), "problem"), problems[0], andMore(len(problems))),
			"run crev ledger verify, and restore the file from git")
	case len(events) == 0:
		d.say("ledger", healthOK, "empty; the first finding begins it", "")
	default:
		d.say("ledger", healthOK, plural(len(events), "event")+", whole and legal", "")
	}
}

// andMore says how many problems are not shown.
func andMore(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n-1)
}
