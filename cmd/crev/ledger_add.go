package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// maxAddInput is how many bytes of findings one add takes.
const maxAddInput = 64 << 20

// addInput is one finding on standard input.
type addInput struct {
	Path      string        `json:"path"`
	StartLine int           `json:"start_line"`
	EndLine   int           `json:"end_line"`
	Symbol    string        `json:"symbol"`
	Claim     string        `json:"claim"`
	Category  string        `json:"category"`
	Severity  string        `json:"severity"`
	Source    string        `json:"source"`
	Run       string        `json:"run"`
	PR        int           `json:"pr"`
	Tier      *finding.Tier `json:"tier"`
	Evidence  texts         `json:"evidence"`
	Quote     string        `json:"quote"`
	Criteria  texts         `json:"criteria"`

	// line is where it begins in the input.
	line int
}

const addFields = "path, start_line, end_line, symbol, claim, category, severity, source, run, pr, tier, evidence, quote, criteria"

// texts is a list of texts; one text alone and null are read too.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if bytes.HasPrefix(b, []byte(`"`)) {
		err := json.Unmarshal(b, &one)
		*t = texts{one}
		return err
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// addOutput says what became of one finding.
type addOutput struct {
	Defect ledger.DefectID `json:"defect"`
	FP     string          `json:"fp"`
	Event  ledger.ID       `json:"event"`
}

// ledgerAdd records findings. It reads nothing of the ledger: the id of the
// defect comes from the class and the pull request, so the same finding again
// is another sighting of the same defect.
func ledgerAdd(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	asJSON := flags.Bool("json", false, "print one JSON object a finding")
	by := flags.String("by", "", "`who` records it, a login or a tool")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	inputs, err := readAddInputs(w.in)
	if err != nil {
		return err
	}
	_, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)

	redact := finding.NewRedactor()
	events := make([]ledger.Event, len(inputs))
	for i, in := range inputs {
		if events[i], err = in.event(w, *by, redact); err != nil {
			return usagef("ledger add: finding on line %d: %v", in.line, err)
		}
	}
	if err := tellApart(events); err != nil {
		return err
	}
	files, err := writeAdded(store, events)
	if err != nil {
		return err
	}
	return printAdded(w.out, events, files, *asJSON)
}

// tellApart numbers findings of one call that say the very same: each is a
// sighting of its own.
func tellApart(events []ledger.Event) error {
	seen := map[ledger.ID]int{}
	for i := range events {
		first := events[i].ID
		if err := repeat(&events[i], seen[first]); err != nil {
			return err
		}
		seen[first]++
	}
	return nil
}

// repeat makes an event the nth one that says the same, counted from 0.
func repeat(e *ledger.Event, n int) error {
	if n == 0 {
		return nil
	}
	opened := *e.Opened
	opened.Repeat += n
	e.Opened = &opened
	sealed, err := ledger.Seal(*e)
	*e = sealed
	return err
}

// readAddInputs reads JSON objects one after the other, each over as many lines
// as it likes. One that is wrong refuses all.
func readAddInputs(in io.Reader) ([]addInput, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxAddInput+1))
	if err != nil {
		return nil, fmt.Errorf("ledger add: read standard input: %w", err)
	}
	if len(data) > maxAddInput {
		return nil, usagef("ledger add: the input is longer than %d MiB; add it in parts", maxAddInput>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var inputs []addInput
	for {
		rest := data[dec.InputOffset():]
		start := len(data) - len(bytes.TrimLeft(rest, " \t\r\n"))
		input := addInput{line: 1 + bytes.Count(data[:start], []byte("\n"))}
		err := dec.Decode(&input)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, usagef("ledger add: finding on line %d: %s", input.line, jsonMessage(err))
		}
		inputs = append(inputs, input)
	}
	if len(inputs) == 0 {
		return nil, usagef("ledger add: nothing on standard input; give one JSON object a finding, for example " +
			`{"path":"a.go","claim":"…","source":"code","run":"r-1"}`)
	}
	return inputs, nil
}

// jsonMessage says in plain words what is wrong with a finding.
func jsonMessage(err error) string {
	text := strings.TrimPrefix(err.Error(), "json: ")
	if name, ok := strings.CutPrefix(text, "unknown field "); ok {
		return fmt.Sprintf("unknown field %s; the fields are %s", name, addFields)
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("field %q cannot be a %s", wrong.Field, wrong.Value)
	}
	return text
}

// event returns the sealed event of a finding.
func (in addInput) event(w world, by string, redact *finding.Redactor) (ledger.Event, error) {
	for _, f := range [][2]string{{"path", in.Path}, {"claim", in.Claim}, {"source", in.Source}, {"run", in.Run}} {
		if strings.TrimSpace(f[1]) == "" {
			return ledger.Event{}, fmt.Errorf("field %q is missing", f[0])
		}
	}
	severity, err := finding.ParseSeverity(in.Severity)
	if err != nil {
		return ledger.Event{}, err
	}
	tier := finding.Advisory
	if in.Tier != nil && !in.Tier.IsZero() {
		tier = *in.Tier
	}
	where := path.Clean(in.Path)
	claim := redact.Redact(in.Claim)
	fp := finding.Class(where, in.Category, "", "", claim)
	return ledger.Seal(ledger.Event{
		FP: fp, Run: in.Run, PR: in.PR, At: w.now(), By: by, Defect: ledger.NewDefectID(fp, addBirth(in.PR)),
		Payload: ledger.Payload{Opened: &ledger.Opened{
			FP0: finding.FP0(where, claim), Claim: claim, Category: in.Category, Severity: severity, Tier: tier,
			Source: in.Source, Quote: redact.Redact(in.Quote),
			Locations: []finding.Location{{Path: where, Start: in.StartLine, End: in.EndLine, Symbol: in.Symbol}},
			Criteria:  redactAll(redact, in.Criteria), Evidence: redactAll(redact, in.Evidence),
		}},
	})
}

// addBirth is what stands for the run in the id of an added defect: one defect
// of a class a pull request, and one for all that belongs to none.
func addBirth(pr int) string {
	if pr == 0 {
		return "repository"
	}
	return "pr-" + strconv.Itoa(pr)
}

func redactAll(redact *finding.Redactor, in []string) []string {
	var out []string
	for _, text := range in {
		out = append(out, redact.Redact(text))
	}
	return out
}

// writeAdded writes one file a run and pull request. The files are named after
// their content too, because a run may add more than once; what was added in the
// same second already is added again, as further sightings.
func writeAdded(store *ledger.Store, events []ledger.Event) ([]string, error) {
	type group struct {
		pr  int
		run string
	}
	var order []group
	groups := map[group][]*ledger.Event{}
	for i := range events {
		g := group{events[i].PR, events[i].Run}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], &events[i])
	}
	var files []string
	for _, g := range order {
		file, err := writeGroup(store, g.pr, g.run, groups[g])
		if err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}

func writeGroup(store *ledger.Store, pr int, run string, events []*ledger.Event) (string, error) {
	for {
		of := make([]ledger.Event, len(events))
		for i, e := range events {
			of[i] = *e
		}
		name, at := run+"."+contentName(of), of[0].At
		if !store.Has(ledger.RunPath(pr, name, at)) {
			return store.WriteRun(pr, name, at, of)
		}
		for _, e := range events {
			if err := repeat(e, len(events)); err != nil {
				return "", err
			}
		}
	}
}

func printAdded(out io.Writer, events []ledger.Event, files []string, asJSON bool) error {
	enc := json.NewEncoder(out)
	for _, e := range events {
		if asJSON {
			if err := enc.Encode(addOutput{e.Defect, e.FP, e.ID}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(out, "%s  %s  %s: %s\n", e.FP, e.Defect, e.Opened.Locations[0].Path, oneLine(e.Opened.Claim))
	}
	if !asJSON {
		fmt.Fprintf(out, "recorded %s in %s\n", plural(len(events), "finding"), strings.Join(files, ", "))
	}
	return nil
}
