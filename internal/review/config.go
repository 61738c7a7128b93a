package review

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/gate"
)

// ConfigPath is where a repository configures crev. It is read from the base
// commit only.
const ConfigPath = ".crev/config.yml"

// configVersion is the format this program reads.
const configVersion = 1

// maxConfig bounds the file: it is written by hand.
const maxConfig = 256 << 10

// Config is .crev/config.yml. Every key is optional; docs/configuration.md
// describes each.
type Config struct {
	Version   int         `yaml:"version"`
	Model     ModelConfig `yaml:"model"`
	Batch     BatchConfig `yaml:"batch"`
	Gate      GateConfig  `yaml:"gate"`
	Reviewers []string    `yaml:"reviewers"`
	Checkers  []string    `yaml:"checkers"`
	// CheckerOptions change single checkers, by name.
	CheckerOptions map[string]checker.Options `yaml:"checker_options"`
	Rules          RulesConfig                `yaml:"rules"`
	Ratchet        RatchetConfig              `yaml:"ratchet"`
	Ledger         LedgerConfig               `yaml:"ledger"`
	Comments       CommentsConfig             `yaml:"comments"`
	Sandbox        SandboxConfig              `yaml:"sandbox"`
	Artifacts      ArtifactsConfig            `yaml:"artifacts"`
	Builtins       []string                   `yaml:"builtins"`
	Exclude        []string                   `yaml:"exclude"`
	Drafts         bool                       `yaml:"drafts"`
}

// ModelConfig names the endpoint and bounds what a run may spend.
type ModelConfig struct {
	Name    string `yaml:"name"`
	BaseURL string `yaml:"base_url"`
	// MaxTokens bounds prompt and completion tokens of a run together;
	// retries count.
	MaxTokens int `yaml:"max_tokens_per_run"`
	// MaxRequests bounds HTTP requests; 0 is no bound.
	MaxRequests int `yaml:"max_requests_per_run"`
	// MaxSeconds is how long after its start a run still asks; 0 is no bound.
	// What was found until then is published.
	MaxSeconds int `yaml:"max_seconds_per_run"`
	// Parallel is how many requests are under way at once.
	Parallel int `yaml:"parallel"`
	// MaxUSD bounds money; 0 is no bound. It needs Prices.
	MaxUSD float64 `yaml:"max_usd_per_run"`
	// Prices are dollars for a million tokens, by model name.
	Prices map[string]Price `yaml:"prices"`
}

// Price is dollars for a million tokens.
type Price struct {
	Prompt     float64 `yaml:"prompt"`
	Completion float64 `yaml:"completion"`
	// Cached is the price of prompt tokens that the endpoint had in its cache;
	// nil is the price of the others.
	Cached *float64 `yaml:"cached"`
}

// BatchConfig bounds batches in diff lines; similarities are between 0 and 1.
type BatchConfig struct {
	MinLines           int     `yaml:"min_lines"`
	MaxLines           int     `yaml:"max_lines"`
	SameDirSimilarity  float64 `yaml:"same_dir_similarity"`
	CrossDirSimilarity float64 `yaml:"cross_dir_similarity"`
}

// GateConfig is the quality gate; see package gate.
type GateConfig struct {
	Mode            string  `yaml:"mode"`
	EffortUnit      string  `yaml:"effort_unit"`
	MinEffort       float64 `yaml:"min_effort_coefficient"`
	MinDensity      float64 `yaml:"min_density_coefficient"`
	LinesPerFinding int     `yaml:"lines_per_expected_finding"`
	MinContent      int     `yaml:"min_content_length"`
	NeedsSuggestion bool    `yaml:"high_risk_needs_suggestion"`
	MaxRetries      int     `yaml:"max_retries"`
}

// Thresholds are the limits as the gate takes them.
func (g GateConfig) Thresholds() gate.Thresholds {
	t := gate.Thresholds{
		Mode: gate.Mode(g.Mode), EffortUnit: gate.Unit(g.EffortUnit), MinEffort: g.MinEffort, MinDensity: g.MinDensity,
		LinesPerFinding: g.LinesPerFinding, MinContent: g.MinContent, MaxRetries: g.MaxRetries,
	}
	if g.NeedsSuggestion {
		t.HighRisk = finding.High
	}
	return t
}

// RulesConfig bounds the pool of rules.
type RulesConfig struct {
	MaxActive     int      `yaml:"max_active"`
	MaxPerKind    int      `yaml:"max_per_kind"`
	Activate      string   `yaml:"activate"`
	MinOccurrence int      `yaml:"min_occurrence"`
	MinConfidence float64  `yaml:"min_confidence"`
	ExpireDays    int      `yaml:"expire_days"`
	Sources       []string `yaml:"sources"`
	// Answers false learns without a word.
	Answers bool `yaml:"answers"`
	// Bots are logins of programs that may teach like the people they are.
	Bots []string `yaml:"bots"`
	// RecallLabel is the label of issues that a review should have prevented.
	RecallLabel string `yaml:"recall_label"`
}

// RatchetConfig says when a class recurs and when it ages out.
type RatchetConfig struct {
	Unit       string `yaml:"unit"`
	Recur      int    `yaml:"recur"`
	RetireDays int    `yaml:"retire_days"`
}

// LedgerConfig says where run files are committed.
type LedgerConfig struct {
	Mode   string `yaml:"mode"`
	Branch string `yaml:"branch"`
}

// CommentsConfig bounds what is posted.
type CommentsConfig struct {
	// MaxPerReview is the most line comments of one review.
	MaxPerReview int `yaml:"max_per_review"`
	// Threads false posts in the summary only.
	Threads bool `yaml:"threads"`
}

// SandboxConfig widens what scripts see and bounds how long they run.
type SandboxConfig struct {
	Read    []string      `yaml:"read"`
	Timeout time.Duration `yaml:"timeout"`
}

// ArtifactsConfig says what a reviewer may bring to show a finding.
type ArtifactsConfig struct {
	// Scripts lets crev run, locked in, scripts that a model wrote. Patterns
	// need no permission.
	Scripts bool `yaml:"scripts"`
}

// DefaultConfig is what an empty file means.
func DefaultConfig() Config {
	return Config{
		Version:   configVersion,
		Model:     ModelConfig{MaxTokens: 400_000, MaxSeconds: 2_700, Parallel: 4},
		Batch:     BatchConfig{MinLines: 800, MaxLines: 1200, SameDirSimilarity: .8, CrossDirSimilarity: .6},
		Gate:      GateConfig{Mode: "record", EffortUnit: "tokens", LinesPerFinding: 100, MaxRetries: 3},
		Reviewers: []string{"code", "security", "library", "claims"},
		Checkers:  checker.Defaults(),
		Rules: RulesConfig{MaxActive: 100, MaxPerKind: 30, Activate: "on_merge", MinOccurrence: 2,
			MinConfidence: .5, ExpireDays: 90, Sources: []string{"user_reject", "bug"}, Answers: true,
			RecallLabel: "should_recall"},
		Ratchet:  RatchetConfig{Unit: "pull_request", Recur: 3, RetireDays: 90},
		Ledger:   LedgerConfig{Mode: LedgerBranch, Branch: "crev/ledger"},
		Comments: CommentsConfig{MaxPerReview: 30, Threads: true},
		Sandbox:  SandboxConfig{Timeout: 30 * time.Second},
	}
}

// The ledger modes.
const (
	// LedgerBranch commits run files to a branch with one open pull request.
	LedgerBranch = "branch"
	// LedgerPRBranch commits the run file to the pull request's head.
	LedgerPRBranch = "pr-branch"
	// LedgerReport writes nothing to the repository.
	LedgerReport = "report"
	// LedgerLocal writes the run file into the work tree, on a laptop.
	LedgerLocal = "local"
)

// ReadConfig reads the configuration from the tree of the base commit. A
// missing file is DefaultConfig. The error names file, line and remedy.
func ReadConfig(tree fs.FS) (Config, error) {
	b, err := fs.ReadFile(tree, ConfigPath)
	if errors.Is(err, fs.ErrNotExist) {
		return DefaultConfig(), nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("read %s: %w", ConfigPath, err)
	}
	c, err := ParseConfig(b)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", ConfigPath, err)
	}
	return c, nil
}

// ParseConfig decodes a configuration over the defaults. Unknown keys, a newer
// version and a second document are refused.
func ParseConfig(b []byte) (Config, error) {
	if len(b) > maxConfig {
		return Config{}, fmt.Errorf("%d bytes; a configuration has at most %d", len(b), maxConfig)
	}
	c := DefaultConfig()
	dec := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
	dec.KnownFields(true)
	switch err := dec.Decode(&c); {
	case errors.Is(err, io.EOF):
		return DefaultConfig(), nil
	case err != nil:
		return Config{}, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("more than one YAML document; keep the first")
	}
	return c, c.check()
}

// checkersOf are the checkers that run, in their order.
func (c Config) checkersOf() ([]checker.Checker, error) {
	selected, err := checker.Select(c.Checkers)
	if err != nil {
		return nil, fmt.Errorf("checkers: %w", err)
	}
	out, err := checker.Configure(selected, c.CheckerOptions)
	if err != nil {
		return nil, fmt.Errorf("checker_options: %w", err)
	}
	return out, nil
}

func (c Config) check() error {
	if _, err := c.checkersOf(); err != nil {
		return err
	}
	if c.Version != configVersion {
		return fmt.Errorf("version %d; this crev reads version %d", c.Version, configVersion)
	}
	choices := []struct {
		key, value string
		of         []string
	}{
		{"gate.mode", c.Gate.Mode, []string{"off", "record", "enforce"}},
		{"gate.effort_unit", c.Gate.EffortUnit, []string{"tokens", "seconds"}},
		{"ledger.mode", c.Ledger.Mode, []string{LedgerBranch, LedgerPRBranch, LedgerReport}},
		{"ratchet.unit", c.Ratchet.Unit, []string{"pull_request", "run"}},
		{"rules.activate", c.Rules.Activate, []string{"on_merge", "at_once"}},
	}
	for _, ch := range choices {
		if !slices.Contains(ch.of, ch.value) {
			return fmt.Errorf("%s: %q; want one of %s", ch.key, ch.value, strings.Join(ch.of, ", "))
		}
	}
	for _, n := range []struct {
		key        string
		value, min int
	}{
		{"model.max_tokens_per_run", c.Model.MaxTokens, 0},
		{"model.max_requests_per_run", c.Model.MaxRequests, 0},
		{"model.max_seconds_per_run", c.Model.MaxSeconds, 0},
		{"model.parallel", c.Model.Parallel, 1},
		{"batch.max_lines", c.Batch.MaxLines, 1},
		{"batch.min_lines", c.Batch.MinLines, 0},
		{"gate.max_retries", c.Gate.MaxRetries, 0},
		{"ratchet.recur", c.Ratchet.Recur, 2},
		{"ratchet.retire_days", c.Ratchet.RetireDays, 0},
		{"comments.max_per_review", c.Comments.MaxPerReview, 0},
	} {
		if n.value < n.min {
			return fmt.Errorf("%s: %d; want at least %d", n.key, n.value, n.min)
		}
	}
	if err := c.Rules.check(); err != nil {
		return err
	}
	for _, n := range []struct {
		key   string
		value float64
	}{
		{"batch.same_dir_similarity", c.Batch.SameDirSimilarity},
		{"batch.cross_dir_similarity", c.Batch.CrossDirSimilarity},
	} {
		if !(n.value >= 0 && n.value <= 1) {
			return fmt.Errorf("%s: %v; want 0 to 1", n.key, n.value)
		}
	}
	if c.Comments.MaxPerReview > maxLineComments {
		return fmt.Errorf("comments.max_per_review: %d; GitHub fails on reviews of many more than %d", c.Comments.MaxPerReview, maxLineComments)
	}
	if c.Sandbox.Timeout <= 0 {
		return fmt.Errorf("sandbox.timeout: %s; want a positive duration such as 30s", c.Sandbox.Timeout)
	}
	if c.Model.MaxUSD > 0 && len(c.Model.Prices) == 0 {
		return errors.New("model.max_usd_per_run is set without model.prices; add the price of the model")
	}
	return nil
}

// maxLineComments : GitHub answers 502 or 403 to reviews of about a hundred comments.
const maxLineComments = 100
