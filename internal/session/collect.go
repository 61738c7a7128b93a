package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Collected is what the journals of all batches come to.
type Collected struct {
	Header Header
	// Batches are in order of the plan.
	Batches []BatchState
}

// Collect reads the journals that several machines wrote, brought together in one
// folder with plan.json. The error has one part for every batch that has no
// record, is not finished, or cannot be read; the others are returned all the
// same. Open the folder then, to run the last checkers and report.
func Collect(dir string) (Collected, error) {
	h, err := readPlan(dir)
	if err != nil {
		return Collected{}, fmt.Errorf("collect session %s: %w", dir, err)
	}
	c := Collected{Header: h}
	var errs []error
	for _, b := range h.Plan.Batches {
		st, err := collectBatch(dir, h, b)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.Batches = append(c.Batches, st)
	}
	return c, errors.Join(errs...)
}

func collectBatch(dir string, h Header, b Planned) (BatchState, error) {
	lines, err := readBatch(dir, h, b.ID)
	if err != nil {
		return BatchState{}, err
	}
	m := newMachine(b.ID, Pending, h.Plan.checkers(EachBatch))
	for _, l := range lines {
		if l.Entry == nil {
			continue
		}
		if err := m.apply(*l.Entry, h.Limits); err != nil {
			return BatchState{}, err
		}
	}
	if m.status != Done {
		return BatchState{}, fmt.Errorf("batch %s is not finished, it is %s; review it again with `crev review --batch %s`", b.ID, m.status, b.ID)
	}
	return m.state(b.Paths), nil
}

func readPlan(dir string) (Header, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Header{}, err
	}
	defer root.Close()
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

// readBatch returns the lines of a batch's journal. One that is empty is none.
func readBatch(dir string, h Header, batch string) ([]line, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(fileName(batch))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NoRecordError{Batch: batch}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := readAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fileName(batch), err)
	}
	lines, _, err := parseFile(text[:bytes.LastIndexByte(text, '\n')+1], h.Hash, batch)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", fileName(batch), err)
	case len(lines) == 0:
		return nil, &NoRecordError{Batch: batch}
	}
	return lines, nil
}
