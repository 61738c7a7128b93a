package bench

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
)

// grow works out the tree of every round from the one before, its ops and its
// files.
func (s *Story) grow() error {
	head, base := s.Base, s.Base
	for _, r := range s.Rounds {
		r.Tree, r.BaseTree = maps.Clone(head), maps.Clone(base)
		for i, op := range r.Ops {
			if err := s.apply(r, op); err != nil {
				return fmt.Errorf("round %d: op %d: %w", r.Number, i+1, err)
			}
		}
		if len(r.BaseFiles) > 0 && !r.movesBase() {
			return fmt.Errorf("round %d: it has files of the base, and neither rebase nor merge_base", r.Number)
		}
		maps.Copy(r.Tree, r.Files)
		head, base = r.Tree, r.BaseTree
	}
	return nil
}

func (r *Round) movesBase() bool {
	for _, op := range r.Ops {
		if op.Rebase > 0 || op.MergeBase > 0 {
			return true
		}
	}
	return false
}

func (s *Story) apply(r *Round, op Op) error {
	if n := op.fields(); n != 1 {
		return fmt.Errorf("it says %d things; an op says one", n)
	}
	switch {
	case op.Delete != "":
		if _, ok := r.Tree[op.Delete]; !ok {
			return fmt.Errorf("delete: there is no file %s", op.Delete)
		}
		delete(r.Tree, op.Delete)
	case op.Rename != nil:
		text, ok := r.Tree[op.Rename.From]
		if !ok || op.Rename.To == "" {
			return fmt.Errorf("rename: there is no file %q, or no new path", op.Rename.From)
		}
		delete(r.Tree, op.Rename.From)
		r.Tree[op.Rename.To] = text
	case op.Rebase != 0 || op.MergeBase != 0:
		if n := op.Rebase + op.MergeBase; n < 1 || n > maxBaseCommits {
			return fmt.Errorf("%d commits of the base; want 1 to %d", n, maxBaseCommits)
		}
		return r.moveBase()
	case op.Revert != 0:
		return s.revert(r, op.Revert)
	case op.Promote != nil:
		if s.Defects[op.Promote.Defect] == nil {
			return fmt.Errorf("promote: there is no defect %q", op.Promote.Defect)
		}
		if _, ok := s.Base[".crev/validators/"+op.Promote.Validator+"/validator.yaml"]; !ok {
			return fmt.Errorf("promote: the base has no validator %q", op.Promote.Validator)
		}
	case (op.Amend || op.Squash) && r.Number == 1:
		return errors.New("the first round has no commit to replace")
	}
	return nil
}

// fields counts what an op says.
func (op Op) fields() int {
	n := 0
	v := reflect.ValueOf(op)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			n++
		}
	}
	return n
}

// moveBase brings the files of new base commits into both trees. A file that
// the branch changed as well needs its merged text among the round's files: a
// story does not merge.
func (r *Round) moveBase() error {
	for p, text := range r.BaseFiles {
		mine, there := r.Tree[p]
		if old, was := r.BaseTree[p]; there == was && mine == old {
			r.Tree[p] = text
		} else if _, ok := r.Files[p]; !ok {
			return fmt.Errorf("base and branch both changed %s; give its merged text as %d/%s", p, r.Number, p)
		}
		r.BaseTree[p] = text
	}
	return nil
}

// revert undoes what a round did to files that nothing has changed since.
func (s *Story) revert(r *Round, n int) error {
	if n < 1 || n >= r.Number {
		return fmt.Errorf("revert %d: want an earlier round", n)
	}
	after, before := s.Rounds[n-1].Tree, s.Base
	if n > 1 {
		before = s.Rounds[n-2].Tree
	}
	changed := map[string]bool{}
	for p := range after {
		changed[p] = true
	}
	for p := range before {
		changed[p] = true
	}
	for p := range changed {
		was, had := before[p]
		is, has := after[p]
		if was == is && had == has {
			continue
		}
		if now, still := r.Tree[p]; now != is || still != has {
			return fmt.Errorf("revert %d: %s has changed since", n, p)
		}
		if had {
			r.Tree[p] = was
		} else {
			delete(r.Tree, p)
		}
	}
	return nil
}
