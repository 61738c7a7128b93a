package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
)

// setup holds what init writes. The workflows are those of examples/workflows.
//
//go:embed setup
var setup embed.FS

// The sets of workflows.
const (
	workflowSplit  = "split"
	workflowSingle = "single"
	workflowFanOut = "fan-out"
)

// workflowFiles are the names of a set in setup/workflows.
func workflowFiles(set string) ([]string, error) {
	switch set {
	case workflowSplit:
		return []string{"gate.yml", "review.yml", "learn.yml", "settle.yml"}, nil
	case workflowSingle:
		return []string{"crev.yml"}, nil
	case workflowFanOut:
		return []string{"gate.yml", "fan-out.yml", "learn.yml", "settle.yml"}, nil
	}
	return nil, usagef("--workflow %q: want %s (a check that can be required, forks welcome), %s (one file) or %s (split, with a matrix of jobs for huge changes)",
		set, workflowSplit, workflowSingle, workflowFanOut)
}

// written is one file of init and what became of it.
type written struct {
	Path string `json:"path"`
	// State is "written", "replaced", or "unchanged" where the same bytes were
	// there already.
	State string `json:"state"`
	text  []byte
}

// initCommand sets a repository up. It writes either everything or nothing.
func initCommand(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	workflow := flags.String("workflow", workflowSplit, "`split`: gate, review, learn and settle, so that the gate can be required; single: one file; fan-out: split, with a matrix of jobs for huge changes")
	dir := flags.String("dir", "", "the `repository` to set up (default: the one around the working directory)")
	force := flags.Bool("force", false, "replace files that are there and differ")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	at := w.dir
	if filepath.IsAbs(*dir) {
		at = *dir
	} else if *dir != "" {
		at = filepath.Join(w.dir, *dir)
	}
	top, err := repositoryRoot(at)
	if err != nil {
		return err
	}
	names, err := workflowFiles(*workflow)
	if err != nil {
		return err
	}
	files, err := setupFiles(names)
	if err != nil {
		return err
	}
	// Nothing is written through a link that leads out of the repository.
	root, err := os.OpenRoot(top)
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	if err := compare(root, files, *force); err != nil {
		return err
	}
	for _, f := range files {
		if err := f.write(root); err != nil {
			return err
		}
	}
	next := nextSteps(names)
	if *asJSON {
		return printJSON(w.out, struct {
			Repository string    `json:"repository"`
			Files      []written `json:"files"`
			Next       []string  `json:"next"`
		}{top, files, next})
	}
	for _, f := range files {
		fmt.Fprintf(w.out, "%-9s  %s\n", f.State, f.Path)
	}
	fmt.Fprintln(w.out, "\nNext:")
	for i, step := range next {
		fmt.Fprintf(w.out, "  %d. %s\n", i+1, step)
	}
	return nil
}

// setupFiles are the files to write, in the order they are shown.
func setupFiles(workflows []string) ([]written, error) {
	config, err := setup.ReadFile("setup/config.yml")
	if err != nil {
		return nil, err
	}
	files := []written{
		{Path: review.ConfigPath, text: config},
		{Path: path.Join(ledger.Folder, "README.md"), text: []byte(ledger.README)},
	}
	for _, name := range workflows {
		text, err := setup.ReadFile("setup/workflows/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, written{Path: ".github/workflows/" + name, text: text})
	}
	return files, nil
}

// compare sets the state of each file, and refuses to replace without force.
func compare(root *os.Root, files []written, force bool) error {
	var differ []string
	for i := range files {
		f := &files[i]
		old, err := root.ReadFile(filepath.FromSlash(f.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.State = "written"
		case err != nil:
			return fmt.Errorf("look for %s: %w", f.Path, err)
		case bytes.Equal(old, f.text):
			f.State = "unchanged"
		default:
			f.State = "replaced"
			differ = append(differ, f.Path)
		}
	}
	if len(differ) > 0 && !force {
		return usagef("init: %s: there already, with another content; nothing was written, pass --force to replace", strings.Join(differ, ", "))
	}
	return nil
}

func (f written) write(root *os.Root) error {
	if f.State == "unchanged" {
		return nil
	}
	name := filepath.FromSlash(f.Path)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	if err := root.WriteFile(name, f.text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	return nil
}

// nextSteps are the two things that only a person can do.
func nextSteps(workflows []string) []string {
	edit := "In .github/workflows put the commit of a release behind crev-ratchet/crev@, change main where your default " +
		"branch has another name, and add the secret CREV_API_KEY (without it crev runs validators only)."
	done := "Commit these files, and run crev doctor."
	if slices.Contains(workflows, "gate.yml") {
		done = "Commit these files, require the check \"crev gate\" in a ruleset, and run crev doctor."
	}
	return []string{edit, done}
}
