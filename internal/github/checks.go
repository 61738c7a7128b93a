package github

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v66/github"
)

// Limits of the checks API, see
// https://docs.github.com/en/rest/checks/runs#create-a-check-run
const (
	maxCheckText            = 65535
	maxAnnotationsPerUpdate = 50
	maxAnnotationTitle      = 255
	maxAnnotationMessage    = 64 << 10
)

// Check is one completed check run. Name, HeadSHA and ExternalID together say
// which one it is.
type Check struct {
	Name    string
	HeadSHA string
	// ExternalID is crev's run id, so that a repeated attempt of a run
	// updates its check and another run gets its own.
	ExternalID string
	// Conclusion is "success", "failure", "neutral", "skipped",
	// "cancelled", "timed_out" or "action_required".
	Conclusion string
	// Title is one line. Summary and Text are Markdown; what exceeds 65,535
	// characters is cut, and the cut is said.
	Title, Summary, Text string
	DetailsURL           string
	Annotations          []Annotation
}

// Annotation is a message at lines of a file. It is a courtesy: GitHub shows
// only some, so the full list belongs in the summary.
type Annotation struct {
	Path string
	// StartLine and EndLine are 1-based; EndLine is StartLine when 0.
	StartLine, EndLine int
	Level              AnnotationLevel
	Title, Message     string
}

// AnnotationLevel is how an annotation is shown. The zero value is a notice.
type AnnotationLevel uint8

// The levels.
const (
	LevelNotice AnnotationLevel = iota
	LevelWarning
	LevelError
)

// UpsertCheck creates the check run or brings the one with the same name, head
// and external id up to date, and returns its id. The token needs checks:
// write, which only an App or a GITHUB_TOKEN can have; else the error is an
// ErrForbidden.
func (c *Client) UpsertCheck(ctx context.Context, check Check) (int64, error) {
	doing := fmt.Sprintf("write the check %q at %.12s", check.Name, check.HeadSHA)
	find := func(ctx context.Context) (*gh.CheckRun, bool, error) { return c.findCheck(ctx, check) }
	run, found, err := find(ctx)
	if err != nil {
		return 0, explain(err, doing, "checks: write")
	}
	if !found {
		run, err = once(ctx, c, find, func(ctx context.Context) (*gh.CheckRun, error) {
			run, _, err := c.rest.Checks.CreateCheckRun(ctx, c.owner, c.repo, gh.CreateCheckRunOptions{
				Name: check.Name, HeadSHA: check.HeadSHA, ExternalID: optional(check.ExternalID),
				DetailsURL: optional(check.DetailsURL), Status: optional("completed"),
				Conclusion: &check.Conclusion, Output: check.output(check.annotations(0)),
			})
			return run, err
		})
		if err != nil {
			return 0, explain(err, doing, "checks: write")
		}
		if len(check.Annotations) <= maxAnnotationsPerUpdate {
			return run.GetID(), nil
		}
		run.Output = &gh.CheckRunOutput{AnnotationsCount: gh.Int(maxAnnotationsPerUpdate)}
	}
	return run.GetID(), explain(c.updateCheck(ctx, run, check), doing, "checks: write")
}

// updateCheck brings an existing run up to date. GitHub adds annotations to
// those that are there, so only the rest is sent.
func (c *Client) updateCheck(ctx context.Context, run *gh.CheckRun, check Check) error {
	for at := run.GetOutput().GetAnnotationsCount(); ; at += maxAnnotationsPerUpdate {
		_, _, err := c.rest.Checks.UpdateCheckRun(ctx, c.owner, c.repo, run.GetID(), gh.UpdateCheckRunOptions{
			Name: check.Name, ExternalID: optional(check.ExternalID), DetailsURL: optional(check.DetailsURL),
			Status: optional("completed"), Conclusion: &check.Conclusion,
			Output: check.output(check.annotations(at)),
		})
		if err != nil || at+maxAnnotationsPerUpdate >= len(check.Annotations) {
			return err
		}
	}
}

func (c *Client) findCheck(ctx context.Context, check Check) (*gh.CheckRun, bool, error) {
	opts := &gh.ListCheckRunsOptions{
		CheckName: &check.Name, Filter: gh.String("all"),
		ListOptions: gh.ListOptions{PerPage: 100},
	}
	for {
		page, resp, err := c.rest.Checks.ListCheckRunsForRef(ctx, c.owner, c.repo, check.HeadSHA, opts)
		if err != nil {
			return nil, false, err
		}
		for _, run := range page.CheckRuns {
			if run.GetName() == check.Name && run.GetExternalID() == check.ExternalID {
				return run, true, nil
			}
		}
		if resp.NextPage == 0 {
			return nil, false, nil
		}
		opts.Page = resp.NextPage
	}
}

func (k *Check) output(annotations []*gh.CheckRunAnnotation) *gh.CheckRunOutput {
	title, summary := k.Title, cut(k.Summary, maxCheckText)
	out := &gh.CheckRunOutput{Title: &title, Summary: &summary, Annotations: annotations}
	if k.Text != "" {
		out.Text = gh.String(cut(k.Text, maxCheckText))
	}
	return out
}

// annotations returns at most one request's worth, from position at.
func (k *Check) annotations(at int) []*gh.CheckRunAnnotation {
	var out []*gh.CheckRunAnnotation
	for _, a := range k.Annotations[min(at, len(k.Annotations)):] {
		if len(out) == maxAnnotationsPerUpdate {
			break
		}
		start := max(a.StartLine, 1)
		end := max(a.EndLine, start)
		level := [...]string{"notice", "warning", "failure"}[min(a.Level, LevelError)]
		out = append(out, &gh.CheckRunAnnotation{
			Path: gh.String(a.Path), StartLine: &start, EndLine: &end, AnnotationLevel: &level,
			Message: gh.String(cut(a.Message, maxAnnotationMessage)),
			Title:   optional(clipTitle(a.Title)),
		})
	}
	return out
}

// cut shortens s to at most limit bytes, at the border of a character, and says
// so. GitHub counts characters, of which there are never more.
func cut(s string, limit int) string {
	const note = "\n\n… cut here; the ledger holds the rest."
	if len(s) <= limit {
		return s
	}
	end := max(limit-len(note), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + note
}

// clipTitle makes one line of a title and keeps it within GitHub's limit.
func clipTitle(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if all := []rune(s); len(all) > maxAnnotationTitle {
		return string(all[:maxAnnotationTitle-1]) + "…"
	}
	return s
}

// optional returns nil for "", so that the field is left out.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
