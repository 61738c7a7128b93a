package validator

import "slices"

// Builtin is a validator that comes with crev. It judges changed lines only and
// runs where the configuration names it.
type Builtin struct {
	Name, Says string

	scope []string
	judge func(*file, Input) []Failure
}

// Builtins returns the built-in validators in the order of their names. The
// built-in "ledger" belongs to package ledger and is not among them.
func Builtins() []Builtin {
	return []Builtin{
		{
			Name:  "conflict-markers",
			Says:  "Resolve the merge conflict before you commit.",
			scope: []string{"**"}, judge: conflictMarkers,
		},
		{
			Name:  "focused-tests",
			Says:  "Remove the focus, which keeps every other test from running.",
			scope: testScope, judge: focusedTests,
		},
		{
			Name:  "hidden-unicode",
			Says:  "Remove characters that hide or reorder text.",
			scope: []string{"**"}, judge: hiddenUnicode,
		},
		{
			Name:  "secrets-in-diff",
			Says:  "Take the secret out, and revoke it: it has been in the history.",
			scope: []string{"**"}, judge: secretsInDiff,
		},
	}
}

// Validator returns the built-in as a validator to run.
func (b Builtin) Validator() Validator {
	return Validator{
		Name: b.Name, Says: b.Says, Kind: BuiltIn, Scope: slices.Clone(b.scope),
		In: ChangedLines, builtin: b.judge,
	}
}

func isBuiltin(name string) bool {
	return name == "ledger" || slices.ContainsFunc(Builtins(), func(b Builtin) bool { return b.Name == name })
}
