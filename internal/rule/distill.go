package rule

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
)

// SignalSource says what kind of occasion a signal is.
type SignalSource string

// The sources of signals. The names are those of the configuration.
const (
	// UserReject: a person did not want a comment.
	UserReject SignalSource = "user_reject"
	// Recheck: the judge found a finding invalid. Off by default: a model's
	// judgment may err.
	Recheck SignalSource = "recheck"
	// BugMissed: a bug was there that a review should have found.
	BugMissed SignalSource = "bug"
	// UserAdopt: a person took a suggestion over. Off by default: a rule made
	// of what is done anyway over-fits.
	UserAdopt SignalSource = "user_adopt"
)

// Signal is one occasion that says something about reviews without saying what
// to do.
type Signal struct {
	Source SignalSource
	// PR is the pull request, 0 for none; then From tells occasions apart.
	PR   int
	From string
	At   time.Time
	// Path, Category, Subject, Severity and Claim are those of the finding,
	// or of the bug that had none.
	Path, Category, Subject string
	Severity                finding.Severity
	Claim                   string
	// Reason is what the person said, "" for a bare no.
	Reason string
	// By is the person's login.
	By string
	// Writer says that the person may write to the repository, Checked that
	// the reason was held against the code and not contradicted.
	Writer, Checked bool
}

// kind is what a signal asks for.
func (s Signal) kind() Kind {
	if s.Source == UserReject || s.Source == Recheck {
		return Silence
	}
	return Always
}

// occasion tells distinct pull requests apart.
func (s Signal) occasion() string {
	if s.PR != 0 {
		return fmt.Sprint(s.PR)
	}
	return s.From
}

// stated reports whether a person gave a reason that holds.
func (s Signal) stated() bool {
	return s.Source == UserReject && strings.TrimSpace(s.Reason) != "" && s.Writer && s.Checked
}

// Distiller makes rules of signals. The zero value makes none.
type Distiller struct {
	// Sources are the signals that count.
	Sources []SignalSource
	// MinOccurrence is in how many different pull requests a pattern has to
	// be seen.
	MinOccurrence int
	// MinConfidence is how sure the wording has to be, 0 to 1.
	MinConfidence float64
	// MaxPerKind bounds the rules of one kind, pending ones included.
	MaxPerKind int
	// WindowDays is how old a signal may be, ExpireDays how long a rule
	// lives that nobody teaches.
	WindowDays, ExpireDays int
}

// DefaultDistiller is what an empty configuration means.
func DefaultDistiller() Distiller {
	return Distiller{Sources: []SignalSource{UserReject, BugMissed}, MinOccurrence: 2, MinConfidence: .5, MaxPerKind: 30, WindowDays: 180, ExpireDays: 90}
}

// Pattern is what several signals have in common.
type Pattern struct {
	Kind     Kind
	Category string
	// Folder is where all of them are, "" for the whole repository.
	Folder string
	// Subject is what all of them are about, normalised; "" when they are
	// about different things.
	Subject string
	Signals []Signal
	// Occasions is the number of different pull requests.
	Occasions int
}

// ID names the pattern and the rule that is made of it: what it is about, and a
// few digits that keep two alike apart.
func (p Pattern) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(p.Kind), p.Category, p.Folder, p.Subject}, "\x00")))
	name := Slug(p.Category + " " + p.Folder)
	return strings.TrimPrefix(name+"-"+hex.EncodeToString(sum[:2]), "-")
}

func (p Pattern) scope() Scope {
	if p.Folder == "" {
		return Scope{"**"}
	}
	return Scope{escapeGlob(p.Folder) + "/**"}
}

// escapeGlob writes a folder's name as a glob that matches it alone.
func escapeGlob(folder string) string {
	var b strings.Builder
	for _, c := range folder {
		if strings.ContainsRune(`*?[]{}\!`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Patterns groups the signals of the window, the most precise way first: by
// category, folder and subject; what is left by category and folder; what is
// left then by category and the folder that all share, but never by category
// alone. Each signal counts once. The patterns that were seen on the fewest
// occasions come last.
func (d Distiller) Patterns(signals []Signal, now time.Time) []Pattern {
	left := d.counting(signals, now)
	var patterns []Pattern
	for _, level := range []func(Signal) (folder, subject string){
		func(s Signal) (string, string) { return folderOf(s.Path), finding.Normalize(s.Subject) },
		func(s Signal) (string, string) { return folderOf(s.Path), "" },
	} {
		var found []Pattern
		found, left = d.group(left, level)
		patterns = append(patterns, found...)
	}
	found, _ := d.group(left, sharedFolders(left))
	patterns = append(patterns, slices.DeleteFunc(found, func(p Pattern) bool { return p.Folder == "" })...)
	slices.SortStableFunc(patterns, func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(b.Occasions, a.Occasions), cmp.Compare(a.ID(), b.ID()))
	})
	return patterns
}

// counting returns the signals that count, in a fixed order.
func (d Distiller) counting(signals []Signal, now time.Time) []Signal {
	since := now.AddDate(0, 0, -d.WindowDays)
	var out []Signal
	for _, s := range signals {
		if slices.Contains(d.Sources, s.Source) && !s.At.Before(since) && !s.At.After(now) && s.Category != "" && s.occasion() != "" {
			s.Category = finding.Label(s.Category)
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Signal) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.PR, b.PR), cmp.Compare(a.From, b.From), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Claim, b.Claim))
	})
	return out
}

// group makes patterns of the signals that a level puts together often enough,
// and returns the others.
func (d Distiller) group(signals []Signal, level func(Signal) (folder, subject string)) (patterns []Pattern, left []Signal) {
	type key struct {
		kind                      Kind
		category, folder, subject string
	}
	groups := map[key][]Signal{}
	keyOf := func(s Signal) key {
		folder, subject := level(s)
		return key{s.kind(), s.Category, folder, subject}
	}
	for _, s := range signals {
		groups[keyOf(s)] = append(groups[keyOf(s)], s)
	}
	made := map[key]bool{}
	for _, s := range signals {
		k := keyOf(s)
		n := occasions(groups[k])
		if n < max(1, d.MinOccurrence) {
			left = append(left, s)
			continue
		}
		if !made[k] {
			made[k] = true
			patterns = append(patterns, Pattern{k.kind, k.category, k.folder, k.subject, groups[k], n})
		}
	}
	return patterns, left
}

func occasions(signals []Signal) int {
	seen := map[string]bool{}
	for _, s := range signals {
		seen[s.occasion()] = true
	}
	return len(seen)
}

func folderOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// sharedFolders returns the level of the folder that all signals of one kind and
// category share.
func sharedFolders(signals []Signal) func(Signal) (folder, subject string) {
	shared := map[string]string{}
	of := func(s Signal) string { return string(s.kind()) + " " + s.Category }
	for _, s := range signals {
		folder := folderOf(s.Path)
		if before, ok := shared[of(s)]; ok {
			folder = commonFolder(before, folder)
		}
		shared[of(s)] = folder
	}
	return func(s Signal) (string, string) { return shared[of(s)], "" }
}

func commonFolder(a, b string) string {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return strings.Join(as[:n], "/")
}
