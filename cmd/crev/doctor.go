package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// health is how well one part is.
type health string

const (
	healthOK   health = "ok"
	healthNote health = "note" // works, and worth knowing
	healthWarn health = "warn" // something that crev can do will not be done
	healthFail health = "fail" // the gate or the review cannot be done
)

// checkup is one line of doctor.
type checkup struct {
	Name   string `json:"name"`
	Health health `json:"health"`
	Says   string `json:"says"`
	// Do is what to do about it, "" when nothing has to be done.
	Do string `json:"do,omitempty"`
}

// doctor looks at everything that a review rests on. What a check finds, the
// checks after it use.
type doctor struct {
	w       world
	offline bool

	repo   *git.Repo
	config review.Config
	// scripts says that the team has a validator that needs the sandbox.
	scripts bool

	checks  []checkup
	model   *modelFound
	sandbox *sandbox.Report
}

// doctorJSON is what -json prints.
type doctorJSON struct {
	// Works is false when the gate or the review cannot be done.
	Works   bool            `json:"works"`
	Checks  []checkup       `json:"checks"`
	Model   *modelFound     `json:"model,omitempty"`
	Sandbox *sandbox.Report `json:"sandbox,omitempty"`
}

// doctorCommand tells whether crev can work here. It writes nothing, and asks the
// model two small questions unless it is told not to.
func doctorCommand(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	d := &doctor{w: w}
	flags.BoolVar(&d.offline, "offline", false, "ask neither the model nor GitHub")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	d.git(ctx)
	d.repository(ctx)
	if d.repo != nil {
		defer func() { err = errors.Join(err, d.repo.Close()) }()
		if err := d.tree(ctx); err != nil {
			return err
		}
		d.isolation(ctx)
		d.endpoint(ctx)
	}
	d.token(ctx)
	works := true
	for _, c := range d.checks {
		works = works && c.Health != healthFail
	}
	if *asJSON {
		err = printJSON(w.out, doctorJSON{works, d.checks, d.model, d.sandbox})
	} else {
		d.print(w.out, works)
	}
	if err == nil && !works {
		return &exitError{status: exitUsage}
	}
	return err
}

func (d *doctor) print(out io.Writer, works bool) {
	for _, c := range d.checks {
		fmt.Fprintf(out, "%-13s  %-4s  %s\n", c.Name, c.Health, c.Says)
		if c.Do != "" {
			fmt.Fprintf(out, "%-13s        to do: %s\n", "", c.Do)
		}
	}
	if !works {
		fmt.Fprintln(out, "\ncrev cannot do its work here before what is marked fail is mended.")
	}
}

func (d *doctor) say(name string, h health, says, do string) {
	d.checks = append(d.checks, checkup{name, h, oneLine(says), do})
}

func (d *doctor) git(ctx context.Context) {
	v, err := git.FindVersion(ctx)
	switch {
	case err != nil:
		d.say("git", healthFail, err.Error(), "install git "+git.Oldest()+" or later")
	case v.Old:
		d.say("git", healthFail, v.Text+" is too old", "install git "+git.Oldest()+" or later")
	default:
		d.say("git", healthOK, v.Text, "")
	}
}

// repository opens the clone and says what it lacks.
func (d *doctor) repository(ctx context.Context) {
	repo, err := git.Open(ctx, d.w.dir)
	if err != nil {
		d.say("repository", healthFail, err.Error(), "run crev doctor inside of a checkout")
		return
	}
	d.repo = repo
	shape, err := repo.Shape(ctx)
	if err != nil {
		d.say("repository", healthFail, err.Error(), "check the clone with git fsck")
		return
	}
	base, _, err := defaultBase(ctx, repo)
	says := repo.Dir() + ", a whole clone"
	h, do := healthOK, ""
	if shape.Partial {
		says = repo.Dir() + ", contents are fetched when they are read"
	}
	if shape.Shallow {
		h, do = healthNote, "check out with fetch-depth: 0, or run git fetch --unshallow; in a workflow crev fetches what it lacks"
		says = repo.Dir() + ", a shallow clone: the older history is missing"
	}
	if err != nil {
		d.say("repository", healthWarn, says+"; no default branch found", "pass --base with the commit or branch a change goes to")
		return
	}
	d.say("repository", h, says+"; changes are compared with "+base, do)
}

// isolation finds how well scripts can be locked in.
func (d *doctor) isolation(ctx context.Context) {
	o := sandbox.Options{Read: d.config.Sandbox.Read, Path: d.w.env("PATH"), InActions: d.inActions()}
	if d.inActions() {
		o.Sudo = "sudo"
	}
	r := sandbox.New(ctx, o).Report()
	d.sandbox = &r
	says := r.Level.String() + ": " + r.Reason
	switch {
	case r.Level >= sandbox.L3:
		d.say("sandbox", healthOK, says, "")
	case r.Level == sandbox.L2:
		d.say("sandbox", healthOK, says, "nothing; for a user of its own run crev as root or, in a workflow, with sudo that asks no password")
	case d.scripts:
		d.say("sandbox", healthFail, says, "use Linux with a kernel that has Landlock and seccomp; until then script validators fail the gate")
	default:
		d.say("sandbox", healthWarn, says, "nothing as long as all validators are patterns; scripts need Linux with Landlock and seccomp")
	}
}

func (d *doctor) inActions() bool { return d.w.env("GITHUB_ACTIONS") == "true" }

// tree checks what the work tree holds below .crev.
func (d *doctor) tree(ctx context.Context) error {
	root, err := os.OpenRoot(d.repo.Dir())
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	d.configuration(root)
	d.validators(root)
	d.rules(root)
	d.ledger(root)
	return nil
}
