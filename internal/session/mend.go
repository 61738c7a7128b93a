package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadPlan reads the header of the session in a folder. Where there is none the
// error is fs.ErrNotExist.
func ReadPlan(dir string) (Header, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Header{}, err
	}
	defer root.Close()
	return readPlan(root)
}

func readPlan(root *os.Root) (Header, error) {
	text, err := root.ReadFile(planName)
	if err != nil {
		return Header{}, err
	}
	h, err := parseHeader(text)
	if err != nil {
		return Header{}, fmt.Errorf("%s: %w", planName, err)
	}
	return h, h.Plan.check()
}

// unusable ends the name of a batch's file that Mend took out.
const unusable = ".unusable"

// Mend makes a folder that was brought together from several machines fit to be
// opened: the journal of a batch that is missing, unreadable or of another plan is
// replaced by an empty one, so that the batch counts as one nobody finished. What
// was there stays beside it, with ".unusable" behind its name. Mend returns what
// was wrong, a line a batch in the order of the plan. The error is for a folder
// without a plan, or one that cannot be written.
func Mend(dir string) (wrong []string, err error) {
	defer func() {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s; bring it from where the plan was made", planName)
		}
		if err != nil {
			err = fmt.Errorf("collect session %s: %w", dir, err)
		}
	}()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	h, err := readPlan(root)
	if err != nil {
		return nil, err
	}
	for _, b := range h.Plan.Batches {
		err := replay(root, h, b.ID)
		if err == nil {
			continue
		}
		wrong = append(wrong, err.Error())
		if err := replace(root, fileName(b.ID)); err != nil {
			return wrong, err
		}
	}
	return wrong, nil
}

// replay reads the journal of a batch as a session would that is restored from it.
func replay(root *os.Root, h Header, batch string) error {
	f, err := root.Open(fileName(batch))
	if errors.Is(err, fs.ErrNotExist) {
		return &NoRecordError{Batch: batch}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := readAll(f)
	if err != nil {
		return fmt.Errorf("batch %s cannot be used: %w", batch, err)
	}
	lines, _, err := parseFile(text[:bytes.LastIndexByte(text, '\n')+1], h.Hash, batch)
	if err != nil {
		return fmt.Errorf("batch %s cannot be used: %w", batch, err)
	}
	m := newMachine(batch, Pending, h.Plan.checkers(EachBatch))
	for _, l := range lines {
		if l.Entry == nil {
			continue
		}
		if err := m.apply(*l.Entry, h.Limits); err != nil {
			return fmt.Errorf("batch %s cannot be used: %w", batch, err)
		}
	}
	return nil
}

// replace puts an empty file in the place of one that cannot be used.
func replace(root *os.Root, name string) error {
	if err := root.Rename(name, name+unusable); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
