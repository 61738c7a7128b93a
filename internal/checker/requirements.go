package checker

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed requirements.md
var requirementsSystem string

// requirementsSchema asks for one entry a point, in the strict subset.
const requirementsSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["points"],
  "properties": {
    "points": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["source", "quote", "state", "reason", "cites", "path"],
        "properties": {
          "source": {"type": "integer"},
          "quote": {"type": "string"},
          "state": {"type": "string", "enum": ["implemented", "partly", "missing", "unclear"]},
          "reason": {"type": "string"},
          "cites": {
            "type": "array",
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": ["path", "quote"],
              "properties": {"path": {"type": "string"}, "quote": {"type": "string"}}
            }
          },
          "path": {"type": ["string", "null"]}
        }
      }
    }
  }
}`

// Requirement is a text that says what a change is to do.
type Requirement struct {
	// Source names it for people: "the description", "issue #12".
	Source string
	Text   string
}

// Limits of a requirements request.
const (
	// minRequirement is how many words a text needs to ask for something that
	// can be checked; a title alone does not.
	minRequirement = 12
	// maxRequirement is how many bytes of one text are shown.
	maxRequirement = 20_000
	// maxLinked is how many linked issues are read.
	maxLinked = 5
	// maxChangeShown is how many bytes of the change are shown.
	maxChangeShown = 120_000
	// maxPoints is how many points are taken; a text that asks for more is a
	// plan, not a requirement.
	maxPoints = 40
)

// closes matches GitHub's words that link an issue to a pull request.
// https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
var closes = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+#([0-9]{1,9})\b`)

// LinkedIssues returns the numbers of the issues of this repository that a
// description says it closes, each once, in its order, at most five.
func LinkedIssues(description string) []int {
	var out []int
	for _, m := range closes.FindAllStringSubmatch(description, -1) {
		n, err := strconv.Atoi(m[1])
		if err == nil && n > 0 && len(out) < maxLinked && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// Demands keeps the texts that ask for something: twelve words at least. With
// none of them there is nothing to check and no request is made.
func Demands(rs []Requirement) []Requirement {
	return slices.DeleteFunc(slices.Clone(rs), func(r Requirement) bool { return len(strings.Fields(r.Text)) < minRequirement })
}

// RequirementsCheck builds the request that compares a change with its
// requirements, and says whether the whole change fitted into it.
func RequirementsCheck(name, fence string, rs []Requirement, c Change) (req model.Request, whole bool) {
	s := shown{fence: fence, limit: maxChangeShown + len(rs)*(maxRequirement+1_000)}
	for i, r := range rs {
		s.add(fmt.Sprintf("requirement %d, %s", i+1, r.Source), c.Redact(firstBytes(r.Text, maxRequirement)))
	}
	s.limit = s.b.Len() + maxChangeShown
	for _, f := range c.Files {
		if len(f.Hunks) > 0 {
			s.add("diff of "+f.Path(), c.patch(f))
		}
	}
	text := s.b.String()
	if s.left > 0 {
		text += fmt.Sprintf("Left out for length: %d files of the change.\n", s.left)
	}
	return model.Request{
		Purpose:  RequirementsName,
		Model:    name,
		System:   requirementsSystem,
		Messages: []model.Message{{Role: model.User, Content: text}},
		Schema:   model.Schema{Name: "points", JSON: json.RawMessage(requirementsSchema)},
		Fence:    fence,
	}, s.left == 0
}

// firstBytes cuts a text, not inside of a character.
func firstBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "")
}

// State says what became of one point of a requirement.
type State string

// The states of a point. Unclear is what the runtime makes of a claim that
// nothing supports.
const (
	Implemented State = "implemented"
	Partly      State = "partly"
	Missing     State = "missing"
	Unclear     State = "unclear"
)

// Point is one thing that a requirement asks for. Its quote stands in the
// requirement, its cites in the code.
type Point struct {
	// Source is that of the requirement.
	Source string
	Quote  string
	State  State
	Reason string
	Cites  []Cite
	// path is the changed file where the rest belongs.
	path string
}

// ReadRequirementsCheck returns the points that the requirements really make,
// and what it does not take. A point that is said to be there without code that
// shows it is unclear, and so is a missing one when the request did not hold the
// whole change.
func ReadRequirementsCheck(r model.Reply, rs []Requirement, c Change, whole bool) ([]Point, []Refused, error) {
	var body struct {
		Points []struct {
			Source int     `json:"source"`
			Quote  string  `json:"quote"`
			State  string  `json:"state"`
			Reason string  `json:"reason"`
			Cites  []Cite  `json:"cites"`
			Path   *string `json:"path"`
		} `json:"points"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, nil, fmt.Errorf("read the requirements check: %w", err)
	}
	var out []Point
	var refused []Refused
	refuse := func(quote, reason string) {
		refused = append(refused, Refused{Claim: quote, Path: c.home(Point{}), Reason: reason})
	}
	for _, e := range body.Points {
		switch {
		case e.Source < 1 || e.Source > len(rs):
			refuse(e.Quote, "it names no requirement")
			continue
		case !quoted(rs[e.Source-1].Text, e.Quote):
			refuse(e.Quote, "its quote is not in the requirement")
			continue
		case len(out) == maxPoints:
			refuse(e.Quote, fmt.Sprintf("more than %d points", maxPoints))
			continue
		}
		p := Point{Source: rs[e.Source-1].Source, Quote: e.Quote, State: State(e.State), Reason: e.Reason}
		for _, cite := range e.Cites {
			if _, ok := c.quoted(cite.Path, cite.Quote, c.firstChanged(cite.Path)); ok {
				p.Cites = append(p.Cites, cite)
			}
		}
		switch {
		case (p.State == Implemented || p.State == Partly) && len(p.Cites) == 0:
			p.State, p.Reason = Unclear, "no code that stands in the tree shows it"
		case p.State == Missing && !whole:
			p.State, p.Reason = Unclear, "the change was too large to be shown whole"
		}
		if e.Path != nil {
			p.path = *e.Path
		}
		out = append(out, p)
	}
	return out, refused, nil
}

// Unmet turns the points that are missing or partly there into findings of medium
// and low severity about a whole file: the changed one that the model names, one
// of its cites, else the one with the most changed lines. They never say more
// than that a person should look.
func Unmet(points []Point, c Change) []finding.Finding {
	var out []finding.Finding
	for _, p := range points {
		sev, does := finding.Medium, "does not do"
		switch p.State {
		case Partly:
			sev, does = finding.Low, "does only in part"
		case Missing:
		default:
			continue
		}
		quote := strings.Join(strings.Fields(p.Quote), " ")
		f := finding.Finding{
			Source: RequirementsName, Category: "requirement", Severity: sev, Side: finding.Right, Path: c.home(p),
			Claim: fmt.Sprintf("The code %s what %s asks for: %s", does, p.Source, quote),
			// A point that is missing and one that is partly there are one
			// class: the one becomes the other.
			Subject: quote, Predicate: "is not fully implemented", Detail: p.Reason,
			Criteria: []string{fmt.Sprintf("The code does what %s asks for: %s", p.Source, quote)}, Tier: finding.Advisory,
		}
		for _, cite := range p.Cites {
			r, _ := c.quoted(cite.Path, cite.Quote, c.firstChanged(cite.Path))
			f.Evidence = append(f.Evidence, quoteOf("The code", cite.Path, r, cite.Quote))
		}
		if f.Path != "" {
			out = append(out, f)
		}
	}
	return out
}

// home is the changed file that a point is about, "" when nothing at the head
// changed.
func (c Change) home(p Point) string {
	candidates := []string{p.path}
	for _, cite := range p.Cites {
		candidates = append(candidates, cite.Path)
	}
	for _, path := range candidates {
		if c.file(path) != nil {
			return path
		}
	}
	best, most := "", 0
	for _, f := range c.Files {
		if n := f.ChangedLines(); f.NewPath != "" && (n > most || n == most && cmp.Compare(f.NewPath, best) < 0) {
			best, most = f.NewPath, n
		}
	}
	return best
}
