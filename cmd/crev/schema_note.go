package main

import (
	"reflect"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
)

// note is a part of a schema.
type note = map[string]any

// words allows these only.
func words[T any](ws ...T) note { return note{"enum": ws} }

// schemaTypes describes the types that are not written as what they are made of.
var schemaTypes = map[reflect.Type]note{
	reflect.TypeFor[time.Time]():     {"type": "string", "format": "date-time"},
	reflect.TypeFor[time.Duration](): {"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`},

	reflect.TypeFor[finding.Severity](): words(finding.Low, finding.Medium, finding.High, finding.Critical),
	reflect.TypeFor[finding.Side]():     words(finding.Right, finding.Left),
	reflect.TypeFor[finding.Tier]():     words(0, 1, 2),
	reflect.TypeFor[ledger.ID]():        {"type": "string", "pattern": "^[0-9a-f]{12}$"},
	reflect.TypeFor[ledger.DefectID]():  {"type": "string", "pattern": "^D-[0-9a-f]{8}$"},
	reflect.TypeFor[texts]():            {"type": []string{"array", "string", "null"}, "items": note{"type": "string"}},

	reflect.TypeFor[rule.Kind]():   words(rule.Silence, rule.Always, rule.Context),
	reflect.TypeFor[rule.Status](): words(rule.Pending, rule.Active, rule.Dormant, rule.Disabled, rule.Superseded, rule.Expired),
	reflect.TypeFor[rule.Source](): words(rule.Reply, rule.Distilled, rule.Manual, rule.Bug),
	reflect.TypeFor[rule.Scope](): {"type": []string{"array", "string"}, "items": note{"type": "string"},
		"description": "A glob or a list of globs; one with ! in front takes paths out."},
	reflect.TypeFor[rule.Date]():     {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
	reflect.TypeFor[rule.Citation](): {"type": "string", "description": "path:line@commit"},
}

// schemaRequired are the keys without which a reader refuses a file.
var schemaRequired = map[string][]string{
	"Rule":     {"id", "kind", "says", "status"},
	"addInput": {"path", "claim", "source", "run"},
}

// atLeast bounds a number from below.
func atLeast(n int, says string) note { return note{"minimum": n, "description": says} }

// says is a description alone.
func says(text string) note { return note{"description": text} }

// schemaNotes is what types do not say, by type and key.
var schemaNotes = map[string]note{
	"Config.version":         {"const": 1, "description": "The format of this file."},
	"Config.reviewers":       says("Who reads each batch: code, security, library, claims."),
	"Config.checkers":        says("The review of the review, in its order."),
	"Config.checker_options": says("Changes of single checkers, by name."),
	"Config.builtins":        says("Validators that come with crev. Each of them blocks."),
	"Config.exclude":         says("Globs of files that no reviewer reads."),
	"Config.drafts":          says("Review draft pull requests too."),

	"ModelConfig.name":                 says("The model's name as the endpoint knows it; CREV_MODEL and the input model win over it."),
	"ModelConfig.base_url":             says("The URL below which chat/completions is; it usually ends in /v1."),
	"ModelConfig.max_tokens_per_run":   atLeast(0, "Prompt and completion tokens of a run, retries included; 0 is no bound."),
	"ModelConfig.max_requests_per_run": atLeast(0, "HTTP requests of a run; 0 is no bound."),
	"ModelConfig.max_seconds_per_run":  atLeast(0, "How long after its start a run still asks; 0 is no bound."),
	"ModelConfig.parallel":             atLeast(1, "How many requests are under way at once."),
	"ModelConfig.max_usd_per_run":      says("Dollars of a run; 0 is no bound. It needs prices."),
	"ModelConfig.prices":               says("Dollars for a million tokens, by the model's name."),

	"BatchConfig.min_lines":  atLeast(0, "Diff lines below which a batch may grow."),
	"BatchConfig.max_lines":  atLeast(1, "Diff lines above which a batch is cut."),
	"GateConfig.mode":        words("off", "record", "enforce"),
	"GateConfig.effort_unit": words("tokens", "seconds"),
	"GateConfig.max_retries": atLeast(0, "How often a reviewer is asked again."),

	"RulesConfig.activate":  words("on_merge", "at_once"),
	"RatchetConfig.unit":    words("pull_request", "run"),
	"RatchetConfig.recur":   atLeast(2, "Recurrences from which on a class is recurring."),
	"LedgerConfig.mode":     words(review.LedgerBranch, review.LedgerPRBranch, review.LedgerReport),
	"LedgerConfig.branch":   says("The branch that collects run files, for mode branch."),
	"SandboxConfig.read":    says("More directories that scripts may read."),
	"SandboxConfig.timeout": says("How long one script may run, such as 30s."),

	"CommentsConfig.max_per_review": {"minimum": 0, "maximum": 100, "description": "Line and file comments of one review."},
	"CommentsConfig.threads":        says("false: everything stands in the summary."),

	"Rule.id":       {"pattern": "^[a-z0-9][a-z0-9-]{0,63}$", "description": "A slug, and the name of the file."},
	"Rule.says":     {"maxLength": rule.MaxSays, "minLength": 1, "description": "The rule in one plain sentence."},
	"Rule.why":      says("Why the team decided so."),
	"Rule.breaks":   says("Code that breaks the rule."),
	"Rule.follows":  says("Code that obeys it."),
	"Rule.cites":    says("Places in the code that the rule rests on."),
	"Rule.category": says("The kind of finding it is about, as reviewers label them."),

	"Event.fp":  {"pattern": "^[0-9a-f]{16}$", "description": "The class; sixteen zeros for none."},
	"Event.v":   {"const": ledger.Version},
	"Event.run": {"minLength": 1},

	"Dismissed.kind":       words("accepted_risk", "false_positive", "wont_fix", "duplicate"),
	"Dismissed.permission": words("write", "maintain", "admin"),
	"Verification.method":  words("test", "static_analysis", "inspection", "human"),
	"Verification.outcome": words("passed", "failed", "inconclusive"),
	"Relocated.how":        words("same", "shifted", "rewritten", "moved", "candidate", "suspect"),
	"Posted.kind":          words("thread", "file", "summary"),
	"RuleHit.effect":       words("silenced", "added", "informed"),
	"Reviewed.gate":        words("passed", "retried", "forced", "reused", "unreviewed"),

	"addInput.path":       {"minLength": 1, "description": "From the repository's root."},
	"addInput.start_line": atLeast(0, "1-based; 0 is the whole file."),
	"addInput.end_line":   atLeast(0, "Inclusive."),
	"addInput.claim":      {"minLength": 1, "description": "What is wrong, in one sentence."},
	"addInput.source":     {"minLength": 1, "description": "Who found it: a tool or a person."},
	"addInput.run":        {"minLength": 1, "description": "The run it was found in; runs of one pull request count once."},
	"addInput.pr":         atLeast(0, "The pull request, 0 for none."),
	"addInput.severity":   words("", "low", "medium", "high", "critical"),
}
