package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// The exit statuses. They are part of crev's interface and are listed in the
// README.
const (
	exitClean      = 0 // nothing blocks
	exitBlocked    = 1 // a validator failed
	exitUsage      = 2 // wrong usage or configuration
	exitIncomplete = 3 // the review could not be completed, with -strict only
)

// world is everything outside the program that a command may touch, so that a
// test can supply it.
type world struct {
	in       io.Reader
	out, err io.Writer
	// dir is the directory the command works in.
	dir string
	env func(string) string
	// now is the clock, in UTC and whole seconds.
	now func() time.Time
}

// command is one word of the command line. A command has either run or subs.
type command struct {
	name string
	// args is what follows the name in the usage line.
	args    string
	summary string
	run     func(ctx context.Context, w world, flags *flag.FlagSet, args []string) error
	subs    []command
}

// exitError carries an exit status to the top. A nil err means that everything
// worth saying has been said.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usagef is an error in what the user typed or configured: exit status 2.
func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, w world, args []string) int {
	err := dispatch(ctx, w, "crev", commands(), args)
	switch e := (*exitError)(nil); {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return exitClean
	case errors.As(err, &e):
		if e.err != nil {
			fmt.Fprintf(w.err, "crev: %v\n", e.err)
		}
		return e.status
	default:
		fmt.Fprintf(w.err, "crev: %v\n", err)
		return exitUsage
	}
}

func dispatch(ctx context.Context, w world, prefix string, cmds []command, args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		usage(w.out, prefix, cmds)
		return nil
	}
	for _, c := range cmds {
		if c.name != args[0] {
			continue
		}
		name := prefix + " " + c.name
		if c.subs != nil {
			return dispatch(ctx, w, name, c.subs, args[1:])
		}
		fs := flag.NewFlagSet(name, flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		fs.Usage = func() {}
		err := c.run(ctx, w, fs, args[1:])
		if errors.Is(err, flag.ErrHelp) {
			commandUsage(w.out, name, c, fs)
		}
		return err
	}
	return usagef("unknown command %q; run %q", args[0], prefix+" help")
}

// parse reads flags that may stand before or after the other arguments and
// returns those others.
func parse(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usagef("%s: %v; run %q", fs.Name(), err, fs.Name()+" -h")
		}
		args = fs.Args()
		if len(args) == 0 {
			return rest, nil
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

// oneArg returns the single argument of a command.
func oneArg(flags *flag.FlagSet, args []string, what string) (string, error) {
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return "", err
	case len(rest) == 0:
		return "", usagef("%s: name %s; run %q", flags.Name(), what, flags.Name()+" -h")
	case len(rest) > 1:
		return "", usagef("%s: one %s at a time, not %q too", flags.Name(), strings.TrimPrefix(what, "a "), rest[1])
	}
	return rest[0], nil
}

// printJSON writes one object, indented, with a newline.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func usage(w io.Writer, prefix string, cmds []command) {
	fmt.Fprintf(w, "usage: %s <command>\n\n", prefix)
	for _, c := range cmds {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(w, "\nRun %q for the flags of a command.\n", prefix+" <command> -h")
}

func commandUsage(w io.Writer, name string, c command, fs *flag.FlagSet) {
	fmt.Fprintf(w, "usage: %s\n\n%s\n", strings.TrimSpace(name+" [flags] "+c.args), c.summary)
	any := false
	fs.VisitAll(func(*flag.Flag) { any = true })
	if any {
		fmt.Fprintln(w)
		fs.SetOutput(w)
		fs.PrintDefaults()
		fs.SetOutput(io.Discard)
	}
}
