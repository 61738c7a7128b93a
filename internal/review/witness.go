package review

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/crev-ratchet/crev/internal/glob"
	"github.com/crev-ratchet/crev/internal/validator"
)

// witness runs a test that a model named. A test proves something only as a
// pair: a check of the base that covers the test's file has to be clean at the
// head, and has to fail where the same test is laid over the commit at which the
// defect was last seen open. The test may come from the change itself; the check
// that runs it may not.
func (j *job) witness(ctx context.Context, open, test string) (check string, evidence []string, ok bool) {
	content := j.text(test)
	if content == nil {
		return "", []string{test + " is not in the tree"}, false
	}
	if j.in.NoScripts != "" {
		return "", []string{test + " was not run: " + j.in.NoScripts}, false
	}
	i := slices.IndexFunc(j.validators, func(v validator.Validator) bool {
		return executes(v) && glob.Match(v.Scope, test)
	})
	if i < 0 {
		return "", []string{"no validator of the base covers " + test + ", so it was not run"}, false
	}
	v := j.validators[i]
	now, err := j.runAt(ctx, v, j.in.Head, "", nil)
	if err != nil || now.Status != validator.Clean {
		return "", []string{fmt.Sprintf("validator %s is not clean at this commit", v.Name)}, false
	}
	before, err := j.runAt(ctx, v, open, test, content)
	if err != nil || before.Status != validator.Found {
		return "", []string{fmt.Sprintf("%s does not fail on the code of %s, so it proves nothing", test, short(open))}, false
	}
	return v.Name, []string{fmt.Sprintf("%s fails on the code of %s and passes now, run by validator %s", test, short(open), v.Name)}, true
}

// runAt runs a validator of the base on the tree of a commit, with one file laid
// over it.
func (j *job) runAt(ctx context.Context, v validator.Validator, commit, over string, content []byte) (validator.Result, error) {
	dir, err := os.MkdirTemp("", "crev-witness-")
	if err != nil {
		return validator.Result{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := j.d.Repo.Export(ctx, commit, dir); err != nil {
		return validator.Result{}, err
	}
	if over != "" {
		if err := overlay(dir, over, content); err != nil {
			return validator.Result{}, err
		}
	}
	in := validator.Input{Tree: os.DirFS(dir), Dir: dir, Runner: j.sandbox(), Timeout: j.cfg.Sandbox.Timeout}
	files, err := j.d.Repo.Files(ctx, commit)
	if err != nil {
		return validator.Result{}, err
	}
	for _, f := range files {
		in.Files = append(in.Files, f.Path)
	}
	if over != "" && !slices.Contains(in.Files, over) {
		in.Files = append(in.Files, over)
	}
	return validator.Run(ctx, v, in), nil
}

// overlay writes one file into an exported tree, never outside of it.
func overlay(dir, path string, content []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return root.WriteFile(path, content, 0o755)
}
