package validator

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"time"
)

const (
	// Root is where a repository keeps its validators.
	Root = ".crev/validators"
	// fileName is the description in a validator's folder.
	fileName = "validator.yaml"
	// formatVersion is the newest validator.yaml this program reads.
	formatVersion = "1"

	maxDescription = 64 << 10
	maxSays        = 160
	maxTimeout     = 10 * time.Minute
)

// Problem says why a validator could not be loaded. Every one of them makes its
// validator Broken: see BrokenBy.
type Problem struct {
	Validator string `json:"validator"`
	// Path is from the repository's root.
	Path string `json:"path"`
	// Line is 1-based, 0 when it is about the file as a whole.
	Line int    `json:"line,omitempty"`
	Msg  string `json:"message"`
}

// String returns "path:line: message".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Path + ": " + p.Msg
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Msg)
}

// BrokenBy turns problems into results, one for each validator, so that none is
// skipped in silence.
func BrokenBy(problems []Problem) []Result {
	var results []Result
	for _, p := range problems {
		i := slices.IndexFunc(results, func(r Result) bool { return r.Validator == p.Validator })
		if i < 0 {
			i = len(results)
			results = append(results, Result{Validator: p.Validator})
			results[i].broken("%s", p)
			continue
		}
		results[i].Notes = append(results[i].Notes, p.String())
	}
	return results
}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Load reads every validator of a file system that is rooted at Root, in the
// order of their names. It returns those that can be run and a problem for each
// reason why another cannot. Files beside the folders, such as a README, are
// nobody's business. A file system without that directory has no validators.
func Load(fsys fs.FS) ([]Validator, []Problem) {
	if fsys == nil {
		return nil, nil
	}
	entries, err := fs.ReadDir(fsys, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{{Validator: "validators", Path: Root, Msg: err.Error()}}
	}
	var (
		loaded   []Validator
		problems []Problem
	)
	for _, e := range entries {
		name := e.Name()
		refuse := func(message string) {
			problems = append(problems, Problem{Validator: name, Path: path.Join(Root, name), Msg: message})
		}
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			refuse("it is a link; a validator is a folder of its own")
			continue
		case !e.IsDir():
			continue
		case !validName.MatchString(name):
			refuse("name the folder with a-z, 0-9 and -, at most 64 of them")
			continue
		case isBuiltin(name):
			refuse("a built-in validator has this name; choose another")
			continue
		}
		folder, err := fs.Sub(fsys, name)
		if err != nil {
			refuse(err.Error())
			continue
		}
		v, ps := load(name, folder)
		if len(ps) > 0 {
			problems = append(problems, ps...)
			continue
		}
		loaded = append(loaded, v)
	}
	return loaded, problems
}

func load(name string, folder fs.FS) (Validator, []Problem) {
	d := description{validator: name, file: path.Join(Root, name, fileName)}
	info, err := fs.Lstat(folder, fileName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.problem(0, "it is missing; write one or remove the folder")
		return Validator{}, d.problems
	case err != nil:
		d.problem(0, "%v", err)
		return Validator{}, d.problems
	case !info.Mode().IsRegular():
		d.problem(0, "it is not a regular file")
		return Validator{}, d.problems
	case info.Size() > maxDescription:
		d.problem(0, "it is larger than %d KiB", maxDescription>>10)
		return Validator{}, d.problems
	}
	data, err := fs.ReadFile(folder, fileName)
	if err != nil {
		d.problem(0, "%v", err)
		return Validator{}, d.problems
	}
	v := d.parse(data)
	v.folder = folder
	if len(d.problems) == 0 {
		d.checkRun(v)
	}
	if len(d.problems) > 0 {
		return Validator{}, d.problems
	}
	return v, nil
}
