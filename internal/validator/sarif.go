package validator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// The part of SARIF 2.1.0 that decides a run; docs.oasis-open.org/sarif. Other
// properties are allowed and not read.
type (
	sarifLog struct {
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver struct {
				Name  string      `json:"name"`
				Rules []sarifRule `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Invocations []struct {
			ExecutionSuccessful *bool `json:"executionSuccessful"`
		} `json:"invocations"`
		OriginalURIBaseIDs map[string]sarifArtifact `json:"originalUriBaseIds"`
		Artifacts          []struct {
			Location sarifArtifact `json:"location"`
		} `json:"artifacts"`
		Results []sarifResult `json:"results"`
	}
	sarifRule struct {
		ID                   string                  `json:"id"`
		MessageStrings       map[string]sarifMessage `json:"messageStrings"`
		DefaultConfiguration struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId"`
		Index     *int   `json:"index"`
	}
	sarifMessage struct {
		Text      string   `json:"text"`
		ID        string   `json:"id"`
		Arguments []string `json:"arguments"`
	}
	sarifResult struct {
		RuleID        string        `json:"ruleId"`
		RuleIndex     *int          `json:"ruleIndex"`
		Kind          string        `json:"kind"`
		Level         string        `json:"level"`
		BaselineState string        `json:"baselineState"`
		Message       *sarifMessage `json:"message"`
		Suppressions  []struct {
			Status string `json:"status"`
		} `json:"suppressions"`
		Locations []struct {
			PhysicalLocation struct {
				ArtifactLocation sarifArtifact `json:"artifactLocation"`
				Region           struct {
					StartLine   int `json:"startLine"`
					StartColumn int `json:"startColumn"`
				} `json:"region"`
			} `json:"physicalLocation"`
		} `json:"locations"`
	}
)

// sarifAnswer is what a log says.
type sarifAnswer struct {
	failures []Failure
	// suppressed and informal count results that do not fail: accepted by
	// the team in the code, and notes.
	suppressed, informal int
}

// parseSARIF reads one log. It refuses a log that is not valid as far as it is
// read, and one of a run that says itself that it failed.
func (p places) parseSARIF(data []byte) (sarifAnswer, error) {
	var log sarifLog
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&log); err != nil {
		return sarifAnswer{}, fmt.Errorf("read SARIF: %w", err)
	}
	if dec.More() {
		return sarifAnswer{}, errors.New("read SARIF: there is text after the log")
	}
	if log.Version != "2.1.0" {
		return sarifAnswer{}, fmt.Errorf("read SARIF: version %q, and 2.1.0 is wanted", log.Version)
	}
	if len(log.Runs) == 0 {
		return sarifAnswer{}, errors.New("read SARIF: the log has no runs")
	}
	var a sarifAnswer
	for i, run := range log.Runs {
		if run.Tool.Driver.Name == "" {
			return sarifAnswer{}, fmt.Errorf("read SARIF: run %d names no tool", i)
		}
		for _, inv := range run.Invocations {
			if inv.ExecutionSuccessful != nil && !*inv.ExecutionSuccessful {
				return sarifAnswer{}, fmt.Errorf("%s says that its run did not succeed", run.Tool.Driver.Name)
			}
		}
		for j, r := range run.Results {
			if err := p.addResult(&a, run, r); err != nil {
				return sarifAnswer{}, fmt.Errorf("read SARIF: run %d, result %d: %w", i, j, err)
			}
		}
	}
	return a, nil
}

func (p places) addResult(a *sarifAnswer, run sarifRun, r sarifResult) error {
	if r.Message == nil {
		return errors.New("it has no message")
	}
	rule, err := run.rule(r)
	if err != nil {
		return err
	}
	level := r.Level
	if level == "" {
		level = rule.DefaultConfiguration.Level
	}
	switch {
	case r.suppressed():
		a.suppressed++
		return nil
	case r.Kind != "" && r.Kind != "fail", level == "none", level == "note", r.BaselineState == "absent":
		a.informal++
		return nil
	}
	message := r.Message.resolve(rule)
	if id := r.RuleID; id != "" {
		message = strings.TrimSpace("[" + id + "] " + message)
	}
	if len(r.Locations) == 0 {
		a.failures = append(a.failures, Failure{Message: message})
		return nil
	}
	at := r.Locations[0].PhysicalLocation
	line, column := at.Region.StartLine, at.Region.StartColumn
	if line < 0 || column < 0 {
		return fmt.Errorf("line %d, column %d: they count from 1", line, column)
	}
	uri, err := run.resolve(at.ArtifactLocation)
	if err != nil {
		return err
	}
	a.failures = append(a.failures, p.place(uri, line, column, message))
	return nil
}

func (run sarifRun) rule(r sarifResult) (sarifRule, error) {
	rules := run.Tool.Driver.Rules
	if r.RuleIndex != nil && *r.RuleIndex != -1 {
		if i := *r.RuleIndex; i >= 0 && i < len(rules) {
			return rules[i], nil
		}
		return sarifRule{}, fmt.Errorf("rule %d of %d", *r.RuleIndex, len(rules))
	}
	for _, rule := range rules {
		if r.RuleID != "" && rule.ID == r.RuleID {
			return rule, nil
		}
	}
	return sarifRule{}, nil
}

// suppressed follows 3.27.23: a result is suppressed when it has suppressions
// and each of them is accepted, which is also what no status means.
func (r sarifResult) suppressed() bool {
	for _, s := range r.Suppressions {
		if s.Status != "" && s.Status != "accepted" {
			return false
		}
	}
	return len(r.Suppressions) > 0
}

// resolve returns the text of a message that may name one of its rule's.
func (m sarifMessage) resolve(rule sarifRule) string {
	text := m.Text
	if text == "" {
		text = rule.MessageStrings[m.ID].Text
	}
	for i, arg := range m.Arguments {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), arg)
	}
	if text == "" {
		text = m.ID
	}
	return strings.Join(strings.Fields(text), " ")
}

// maxBases bounds how many uriBaseIds may lead to each other.
const maxBases = 8

// resolve returns the path of an artifact, relative as the tool meant it or
// absolute.
func (run sarifRun) resolve(a sarifArtifact) (string, error) {
	if a.URI == "" && a.Index != nil && *a.Index >= 0 && *a.Index < len(run.Artifacts) {
		a = run.Artifacts[*a.Index].Location
	}
	p, err := uriPath(a.URI)
	if err != nil {
		return "", err
	}
	for range maxBases {
		if a.URIBaseID == "" || path.IsAbs(p) {
			return p, nil
		}
		base, ok := run.OriginalURIBaseIDs[a.URIBaseID]
		if !ok {
			// A base such as %SRCROOT% that is left to the reader.
			return p, nil
		}
		dir, err := uriPath(base.URI)
		if err != nil {
			return "", err
		}
		p, a = path.Join(dir, p), base
	}
	return "", fmt.Errorf("uriBaseId %q leads in a circle", a.URIBaseID)
}

// uriPath returns the path of a relative reference or a file URI. What is no
// valid URI is taken for a path, which tools also write.
func uriPath(uri string) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return uri, nil
	case u.Scheme == "file":
		return u.Path, nil
	case u.Scheme == "" && u.Host == "":
		return u.Path, nil
	case len(u.Scheme) == 1: // C:\file
		return uri, nil
	}
	return "", fmt.Errorf("%q is no file", uri)
}
