package bench

// A Story is one pull request told commit by commit: the code, what a reviewer
// says of it, what an inspection of it says, and what is true. docs/lifecycle.md
// describes the archive it is written in.
type Story struct {
	// Name is the archive's name without its ending.
	Name string
	// Tells says in plain words what happens.
	Tells string
	// Defects are what is really wrong in the course of the story, by name.
	Defects map[string]*StoryDefect
	Rounds  []*Round
	// Adjudicator is "oracle" for one that knows the truth, "unsure" for one
	// that never decides.
	Adjudicator string
	// Base is the tree that the change starts from.
	Base Tree
}

// StoryDefect is one thing that is wrong, and how reviewers speak of it unless
// a finding says otherwise.
type StoryDefect struct {
	Category  string   `yaml:"category"`
	Severity  string   `yaml:"severity"`
	Detail    string   `yaml:"detail"`
	Subject   string   `yaml:"subject"`
	Predicate string   `yaml:"predicate"`
	Criteria  []string `yaml:"criteria"`
}

// Round is one push and the run that follows it.
type Round struct {
	// Number counts from 1.
	Number int `yaml:"-"`
	// Says is the commit's message.
	Says string `yaml:"says"`
	// Ops happen before the round's files are laid over the tree.
	Ops []Op `yaml:"ops"`
	// Fails are paths: a request that shows one of them gets no answer.
	Fails    []string              `yaml:"fails"`
	Findings []Claim               `yaml:"findings"`
	Checks   map[string][]Check    `yaml:"checks"`
	Truth    map[string]*Condition `yaml:"truth"`

	// Files are laid over the tree, BaseFiles over the base's.
	Files, BaseFiles Tree `yaml:"-"`
	// Tree and BaseTree are what has to be there afterwards. Both are shared
	// with other rounds and must not be changed.
	Tree, BaseTree Tree `yaml:"-"`
}

// Tree holds the texts of files by path.
type Tree map[string]string

// Op is one thing that happens to the branch besides an edit. Exactly one field
// is set.
type Op struct {
	// Delete takes a file away.
	Delete string `yaml:"delete"`
	// Rename gives a file a new path.
	Rename *Renaming `yaml:"rename"`
	// Rebase puts the branch on that many new commits of the base.
	Rebase int `yaml:"rebase"`
	// MergeBase merges that many new commits of the base into the branch.
	MergeBase int `yaml:"merge_base"`
	// Amend replaces the latest commit, as before a force-push.
	Amend bool `yaml:"amend"`
	// Squash makes one commit of the branch.
	Squash bool `yaml:"squash"`
	// Forget drops every object that no branch holds, as a fresh clone does.
	Forget bool `yaml:"forget"`
	// Revert takes the commit of that round back, in git's own words.
	Revert int `yaml:"revert"`
	// Promote makes a validator of the base decide the class of a defect.
	Promote *Promotion `yaml:"promote"`
}

// Renaming is a file's old path and its new one.
type Renaming struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// Promotion names a defect and the validator that decides its class.
type Promotion struct {
	Defect    string `yaml:"defect"`
	Validator string `yaml:"validator"`
}

// Claim is one finding of a round, as a reviewer would answer it. What it
// leaves out comes from the defect and from the round's truth.
type Claim struct {
	Defect string `yaml:"defect"`
	// By is the reviewer, "code" unless it says otherwise.
	By       string `yaml:"by"`
	Says     string `yaml:"says"`
	Path     string `yaml:"path"`
	Quote    string `yaml:"quote"`
	Category string `yaml:"category"`
	Severity string `yaml:"severity"`
	// Hint is the line number that the reviewer gives, 0 for none.
	Hint int `yaml:"hint"`

	// line is where the quote really stands.
	line int
}

// Check is what an inspection says of one criterion.
type Check struct {
	Outcome string `yaml:"outcome"`
	Reason  string `yaml:"reason"`
	// Path and Quote are the code that it cites.
	Path  string `yaml:"path"`
	Quote string `yaml:"quote"`
	// Test is a path that it names as a test.
	Test string `yaml:"test"`
}

// Is says how a defect really stands at a commit.
type Is string

// The ways a defect can stand.
const (
	// Alive: it is in the code.
	Alive Is = "alive"
	// Partly: Met of Of criteria are met, so it is still in the code.
	Partly Is = "partly"
	// Fixed: the code is right now.
	Fixed Is = "fixed"
	// Vanished: its code is no longer there at all.
	Vanished Is = "gone"
	// Returned: it was fixed or gone and is in the code again.
	Returned Is = "back"
)

// inCode reports whether the defect is in the code.
func (i Is) inCode() bool { return i == Alive || i == Partly || i == Returned }

// Condition is the truth about one defect at one commit.
type Condition struct {
	Is Is `yaml:"is"`
	// Path and Code are where it is: Code is a piece of the line, Nth which
	// of the lines that hold it, 0 where there is only one.
	Path string `yaml:"path"`
	Code string `yaml:"code"`
	Nth  int    `yaml:"nth"`
	// Met and Of count criteria, for Partly.
	Met int `yaml:"met"`
	Of  int `yaml:"of"`
	// By is the round by which a fix has to be recognised, this one unless
	// it says otherwise.
	By int `yaml:"by"`
	// Unproven says of a fix that nothing at hand is enough to close the
	// defect, so that it has to stay active.
	Unproven bool `yaml:"unproven"`

	// Line is where Code stands, 0 for a defect that is not in the code.
	Line int `yaml:"-"`
}

// DefectAt says which defect a claim of a round at a place is about, "" for
// none. Two findings may say the same words of two places; the nearest counts.
func (s *Story) DefectAt(round int, claim, path string, line int) string {
	if round < 1 || round > len(s.Rounds) {
		return ""
	}
	name, nearest := "", -1
	for _, c := range s.Rounds[round-1].Findings {
		if c.Says != claim || c.Path != path {
			continue
		}
		if gap := max(c.line-line, line-c.line); nearest < 0 || gap < nearest {
			name, nearest = c.Defect, gap
		}
	}
	return name
}

// Line is where the quote of a finding stands in the round's tree.
func (c Claim) Line() int { return c.line }
