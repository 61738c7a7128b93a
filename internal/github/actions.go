package github

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sethvargo/go-githubactions"
)

// Limits of the Actions runner.
const (
	// maxSummary is the size of one step's summary; the runner refuses a
	// larger one as a whole.
	maxSummary = 1 << 20
	// maxAnnotationsPerKind is how many errors, and how many warnings, of a
	// step are shown.
	maxAnnotationsPerKind = 10
	// maxCommandMessage is where the runner cuts a message.
	maxCommandMessage = 4096
)

// Actions is the job's side of GitHub Actions: inputs, outputs, summary,
// annotations. Text from a pull request or a model can be passed to Summary,
// Annotate and Group, which quote it; it cannot become an output.
type Actions struct {
	act    *githubactions.Action
	getenv func(string) string
	shown  map[AnnotationLevel]int
}

// NewActions reads the environment through getenv and writes workflow commands
// to stdout.
func NewActions(getenv func(string) string, stdout io.Writer) *Actions {
	return &Actions{
		act: githubactions.New(
			githubactions.WithGetenv(getenv),
			// The library panics when it cannot write. A log that is
			// gone is no reason to lose a review.
			githubactions.WithWriter(forgiving{stdout})),
		getenv: getenv,
		shown:  map[AnnotationLevel]int{},
	}
}

type forgiving struct{ w io.Writer }

func (f forgiving) Write(p []byte) (int, error) {
	// See NewActions for why the error is dropped.
	_, _ = f.w.Write(p)
	return len(p), nil
}

// Input returns an input of the action without blanks around it, "" when it is
// not set. Names have underscores: some shells drop environment variables
// whose name has a hyphen.
func (a *Actions) Input(name string) string { return a.act.GetInput(name) }

// Runtime is what the runner says about the job.
type Runtime struct {
	// EventName and EventPath lead to the event; see ParseEvent.
	EventName, EventPath string
	// SHA and Ref are what the workflow runs for. In a pull request that is
	// the merge commit, not the head.
	SHA, Ref string
	// Owner and Repo name the repository.
	Owner, Repo                   string
	APIURL, GraphQLURL, ServerURL string
	RunID, RunAttempt             int64
	Actor, Workspace              string
}

// Runtime returns what the runner says about the job. The URLs default to
// github.com; Owner and Repo are "" when GITHUB_REPOSITORY is not owner/name.
func (a *Actions) Runtime() Runtime {
	number := func(name string) int64 {
		n, err := strconv.ParseInt(a.getenv(name), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	or := func(name, def string) string {
		if v := a.getenv(name); v != "" {
			return v
		}
		return def
	}
	r := Runtime{
		EventName: a.getenv("GITHUB_EVENT_NAME"), EventPath: a.getenv("GITHUB_EVENT_PATH"),
		SHA: a.getenv("GITHUB_SHA"), Ref: a.getenv("GITHUB_REF"),
		APIURL:     or("GITHUB_API_URL", "https://api.github.com"),
		GraphQLURL: or("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql"),
		ServerURL:  or("GITHUB_SERVER_URL", "https://github.com"),
		RunID:      number("GITHUB_RUN_ID"), RunAttempt: number("GITHUB_RUN_ATTEMPT"),
		Actor: a.getenv("GITHUB_ACTOR"), Workspace: a.getenv("GITHUB_WORKSPACE"),
	}
	if owner, repo, ok := strings.Cut(a.getenv("GITHUB_REPOSITORY"), "/"); ok && !strings.Contains(repo, "/") {
		r.Owner, r.Repo = owner, repo
	}
	return r
}

// Outputs hold numbers, words of an enumeration and object ids, nothing that a
// person or a model could have written.
var (
	outputName  = regexp.MustCompile(`^[a-z][a-z_]{0,31}$`)
	outputValue = regexp.MustCompile(`^(-?[0-9]{1,15}(\.[0-9]{1,6})?|[a-z][a-z_]{0,31}|[0-9a-f]{40}|[0-9a-f]{64})?$`)
)

// SetOutput sets an output of the step. The value is a number, one word of
// lower-case letters and underscores, a full object id, or empty; anything else
// is refused. Outside of a workflow it does nothing.
//
// It does not use go-githubactions: that library ends every value with the same
// delimiter, so that a value that holds it could set further outputs.
func (a *Actions) SetOutput(name, value string) error {
	if !outputName.MatchString(name) || !outputValue.MatchString(value) {
		return fmt.Errorf("set output %q: %q is not a number, a word or an object id", name, value)
	}
	return a.setOutput(name, value)
}

// listItem is one item of a list that is an output: ids that this program chose,
// joined by commas where one job takes several.
var listItem = regexp.MustCompile(`^[a-z0-9_]{1,40}(,[a-z0-9_]{1,40})*$`)

// SetOutputList sets an output of the step to a JSON list of strings, for fromJSON
// in a matrix. An item is an id, or several joined by commas; anything else is
// refused. Outside of a workflow it does nothing.
func (a *Actions) SetOutputList(name string, items []string) error {
	for _, item := range items {
		if !listItem.MatchString(item) {
			return fmt.Errorf("set output %q: %q is not an id", name, item)
		}
	}
	if !outputName.MatchString(name) {
		return fmt.Errorf("set output %q: that is not a name of an output", name)
	}
	value, err := json.Marshal(append([]string{}, items...))
	if err != nil {
		return fmt.Errorf("set output %q: %w", name, err)
	}
	return a.setOutput(name, string(value))
}

// setOutput writes a value that was checked. A value that is one line and does
// not hold the random delimiter cannot set further outputs.
func (a *Actions) setOutput(name, value string) error {
	delimiter := "crev_" + rand.Text()
	return a.appendTo("GITHUB_OUTPUT", fmt.Sprintf("%s<<%s\n%s\n%s\n", name, delimiter, value, delimiter))
}

// ErrSummaryFull means that Summary cut what it was given.
var ErrSummaryFull = errors.New("the step summary is full; the rest was left out")

// Summary appends Markdown to the step's summary. What does not fit into the
// 1 MiB that the runner takes is cut, and the error is ErrSummaryFull. Outside
// of a workflow it does nothing.
func (a *Actions) Summary(markdown string) error {
	path := a.getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	used := 0
	if info, err := os.Stat(path); err == nil {
		used = int(min(info.Size(), maxSummary))
	}
	text := strings.TrimRight(markdown, "\n") + "\n"
	if room := maxSummary - used; len(text) > room {
		text = cutAtLine(text, room)
		if err := a.appendTo("GITHUB_STEP_SUMMARY", text); err != nil {
			return err
		}
		return ErrSummaryFull
	}
	return a.appendTo("GITHUB_STEP_SUMMARY", text)
}

// cutAtLine shortens s to at most room bytes, at the end of a line if there is
// one, and says so where the note fits.
func cutAtLine(s string, room int) string {
	const note = "\n_The summary is cut here: GitHub takes no more._\n"
	if room < len(note) {
		return ""
	}
	s = s[:room-len(note)]
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		return s[:i+1] + note
	}
	for len(s) > 0 && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + note
}

// appendTo adds text to the file that an environment variable names. Without
// the variable it does nothing.
func (a *Actions) appendTo(variable, text string) (err error) {
	path := a.getenv(variable)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", variable, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(text); err != nil {
		return fmt.Errorf("write %s: %w", variable, err)
	}
	return nil
}

// Annotate shows messages at lines of files, which works with a read-only
// token. GitHub shows ten errors and ten warnings of a step; Annotate writes no
// more of any level and returns how many it left out. They are a courtesy and
// never a verdict.
func (a *Actions) Annotate(all []Annotation) (leftOut int) {
	for _, n := range all {
		if a.shown[n.Level] == maxAnnotationsPerKind {
			leftOut++
			continue
		}
		a.shown[n.Level]++
		fields := map[string]string{}
		if n.Path != "" {
			fields["file"] = plain(n.Path)
		}
		if n.StartLine > 0 {
			fields["line"] = strconv.Itoa(n.StartLine)
		}
		if n.EndLine > n.StartLine {
			fields["endLine"] = strconv.Itoa(n.EndLine)
		}
		if n.Title != "" {
			fields["title"] = plain(n.Title)
		}
		act := a.act.WithFieldsMap(fields)
		show := act.Noticef
		switch n.Level {
		case LevelWarning:
			show = act.Warningf
		case LevelError:
			show = act.Errorf
		}
		show("%s", clip(n.Message))
	}
	return leftOut
}

// Mask makes the runner print *** wherever the secret would appear in the log.
func (a *Actions) Mask(secret string) {
	for line := range strings.Lines(secret) {
		if line = strings.TrimSpace(line); line != "" {
			a.act.AddMask(line)
		}
	}
}

// clip keeps a message within what the runner shows. Line ends survive: the
// library writes them as %0A.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= maxCommandMessage {
		return s
	}
	return string([]rune(s)[:maxCommandMessage-1]) + "…"
}

// plain makes one line out of a text.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, clip(s)))
}
