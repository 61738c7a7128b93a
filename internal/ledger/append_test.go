package ledger

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestCheckAppend(t *testing.T) {
	t.Parallel()
	e := script(t,
		in(1, sample(KindOpened)),
		in(1, of("D-00000002", with(KindOpened, func(e *Event) { e.Opened.Category = "security" }))),
		in(1, sample(KindMergedPR)),
		in(2, sample(KindPossiblyFixed)),
		in(2, sample(KindDismissed)),
		in(2, of("D-00000002", sample(KindDismissed))),
		in(3, of("D-00000003", sample(KindOpened))),
		in(2, of("D-00000003", sample(KindPossiblyFixed))),
		in(2, sample(KindReopened)),
	)
	const one, two = "ledger/2026-11/29/1-1-1.jsonl", "ledger/2026-11/29/2-2-1.jsonl"
	base := map[string]string{one: lines(e[:3]...)}
	packed := Pack(e[:3])[0]
	tests := map[string]struct {
		head map[string]string
		want []string // one text a problem
	}{
		"nothing new":           {base, nil},
		"new events":            {map[string]string{one: lines(e[:3]...), two: lines(e[3], e[4])}, nil},
		"moved to a pack":       {map[string]string{"ledger/" + packed.Path: string(packed.Data)}, nil},
		"in both":               {map[string]string{one: lines(e[:3]...), "ledger/" + packed.Path: string(packed.Data)}, nil},
		"in another order":      {map[string]string{"ledger/x.jsonl": lines(e[2], e[0], e[1])}, nil},
		"no ledger any more":    {map[string]string{}, []string{one + ":1: event " + string(e[0].ID) + " of the base is gone or changed (and 2 more of this file); the ledger is append-only: restore it with `git checkout BASE -- .crev/" + one}},
		"one line removed":      {map[string]string{one: lines(e[0], e[2])}, []string{one + ":2: event " + string(e[1].ID)}},
		"one line edited":       {map[string]string{one: strings.Replace(lines(e[:3]...), "variable", "constant", 1)}, []string{"does not match the content", "gone or changed"}},
		"an unreadable line":    {map[string]string{one: lines(e[:3]...) + "oops\n"}, []string{one + ":4: not an event"}},
		"an illegal step":       {map[string]string{one: lines(e[:3]...), two: lines(e[8])}, []string{two + ":1: event " + string(e[8].ID) + " about D-00000001: a defect that is open cannot be reopened"}},
		"another PR's defect":   {map[string]string{one: lines(e[:3]...), two: lines(e[6], e[7])}, []string{two + ":2: event " + string(e[7].ID) + " about D-00000003: no such defect in this view"}},
		"dismissing security":   {map[string]string{one: lines(e[:3]...), two: lines(e[5])}, []string{"dismisses D-00000002, which is about security"}},
		"the ledger is a file":  {map[string]string{"ledger": lines(e[:3]...)}, []string{"ledger: is no folder", "gone or changed"}},
		"a problem of the base": {map[string]string{one: lines(e[:3]...), two: lines(e[3])}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := tree(base)
			if name == "a problem of the base" {
				before[two] = &fstest.MapFile{Data: []byte("junk\n")}
			}
			problems := CheckAppend(before, tree(tt.head))
			if len(problems) != len(tt.want) {
				t.Fatalf("problems %v, want %d", problems, len(tt.want))
			}
			for i, want := range tt.want {
				if !strings.Contains(problems[i].String(), want) {
					t.Errorf("problem %d = %q, want %q in it", i, problems[i], want)
				}
			}
		})
	}
}

func TestCheckAppendOfDismissalsInTheBase(t *testing.T) {
	t.Parallel()
	e := script(t, with(KindOpened, func(e *Event) { e.Opened.Severity = finding.Critical }), sample(KindDismissed))
	old := tree(map[string]string{"ledger/a.jsonl": lines(e...)})
	if problems := CheckAppend(old, old); len(problems) > 0 {
		t.Errorf("an old dismissal: %v", problems)
	}
	fresh := tree(map[string]string{"ledger/a.jsonl": lines(e[0])})
	if problems := CheckAppend(fresh, old); len(problems) != 1 || !strings.Contains(problems[0].Msg, "of critical severity") {
		t.Errorf("a new dismissal: %v", problems)
	}
}

func TestCheckAppendGuardsPromotedValidators(t *testing.T) {
	t.Parallel()
	const script1, script2 = "grep -n bad \"$@\"", "true"
	folder := func(check string) fstest.MapFS {
		return tree(map[string]string{"validators/v/validator.yaml": "says: x", "validators/v/check.sh": check, "validators/free/check.sh": check})
	}
	hash1, err := hashBelow(folder(script1), "validators/v")
	if err != nil {
		t.Fatal(err)
	}
	hash2, err := hashBelow(folder(script2), "validators/v")
	if err != nil {
		t.Fatal(err)
	}
	day := func(n int, k Kind, change func(*Event)) Event {
		return seal(t, with(k, func(e *Event) { e.At = noon.AddDate(0, 0, n); e.PR = 0; change(e) }))
	}
	promoted := day(0, KindPromoted, func(e *Event) { e.Promoted.Validator, e.Promoted.Hash = "v", hash1 })
	anew := day(1, KindPromoted, func(e *Event) { e.Promoted.Validator, e.Promoted.Hash = "v", hash2 })
	retired := day(1, KindRetired, func(*Event) {})
	nobody := day(1, KindRetired, func(e *Event) { e.By = "" })
	early := day(-1, KindRetired, func(*Event) {})
	flaky := day(1, KindQuarantined, func(e *Event) { e.Quarantined.Validator = "v" })

	at := func(check string, events ...Event) fstest.MapFS {
		fsys := fstest.MapFS{}
		if check != "" {
			fsys = folder(check)
		}
		fsys["ledger/a.jsonl"] = &fstest.MapFile{Data: []byte(lines(events...))}
		return fsys
	}
	base := at(script1, promoted)
	freed := at(script1, promoted, retired)
	tests := map[string]struct {
		base, head fstest.MapFS
		want       string
	}{
		"untouched":                 {base, at(script1, promoted), ""},
		"removed":                   {base, at("", promoted), "gone or unreadable"},
		"changed":                   {base, at(script2, promoted), "was changed"},
		"removed after retirement":  {freed, at("", promoted, retired), ""},
		"changed after retirement":  {freed, at(script2, promoted, retired), ""},
		"retired by the change":     {base, at("", promoted, retired), "gone or unreadable"},
		"retired by nobody":         {at(script1, promoted, nobody), at("", promoted, nobody), "gone or unreadable"},
		"retired before":            {at(script1, promoted, early), at("", promoted, early), "gone or unreadable"},
		"changed and promoted":      {base, at(script2, promoted, anew), ""},
		"promoted for the first":    {base, at(script1, promoted, anew), ""},
		"put into quarantine":       {base, at(script1, promoted, flaky), "quarantines v, which decides a class"},
		"in quarantine, not a rule": {at(script1), at(script1, flaky), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := CheckAppend(tt.base, tt.head)
			if tt.want == "" && len(problems) > 0 || tt.want != "" && (len(problems) != 1 || !strings.Contains(problems[0].String(), tt.want)) {
				t.Errorf("problems %v, want %q", problems, tt.want)
			}
		})
	}
}

func TestHashValidator(t *testing.T) {
	t.Parallel()
	hash := func(files map[string]string) string {
		h, err := hashBelow(tree(files), "v")
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	base := hash(map[string]string{"v/a": "1", "v/b/c": "2", "w/x": "3"})
	if got := hash(map[string]string{"v/a": "1", "v/b/c": "2"}); got != base {
		t.Error("files outside the folder count")
	}
	if got := hash(map[string]string{"v/a": "1", "v/b/c": "2", "v/bad/x": "3", "v/good/y": "4"}); got != base {
		t.Error("the samples count")
	}
	for name, files := range map[string]map[string]string{
		"content":  {"v/a": "1", "v/b/c": "x"},
		"a name":   {"v/a": "1", "v/b/d": "2"},
		"a place":  {"v/a": "1", "v/c": "2"},
		"one more": {"v/a": "1", "v/b/c": "2", "v/z": ""},
	} {
		if hash(files) == base {
			t.Errorf("another %s gives the same hash", name)
		}
	}
	for name, fsys := range map[string]fstest.MapFS{
		"no folder": {}, "no files": {"v": {Mode: 0o755 | 1<<31}}, "a link": {"v/a": {Data: []byte("x"), Mode: 1 << 27}},
	} {
		if h, err := hashBelow(fsys, "v"); err == nil {
			t.Errorf("%s: hash %s, want an error", name, h)
		}
	}
}

// Two pull requests that did not know of each other leave an event that no
// longer goes with the status. Neither is to blame, whichever is merged first.
func TestHonestRacesAreLegal(t *testing.T) {
	t.Parallel()
	e := script(t,
		in(0, sample(KindOpened)),
		in(1, sample(KindDismissed)),
		in(2, sample(KindPossiblyFixed)), // its view holds the defect open
		in(1, sample(KindMergedPR)),
		in(2, sample(KindMergedPR)),
		in(3, sample(KindPossiblyFixed)), // its view holds it dismissed
	)
	folded := Fold(e, View{})
	if len(folded.Problems) != 1 || folded.Problems[0].Event != e[2].ID {
		t.Errorf("the fold of the default branch: %v, want the second event listed", folded.Problems)
	}
	problems := CheckTransitions(e, nil)
	if len(problems) != 1 || problems[0].Event != e[5].ID {
		t.Errorf("CheckTransitions = %v, want only the one who could know", problems)
	}
}

func TestCheckTransitionsFollowsMergedFamilies(t *testing.T) {
	t.Parallel()
	e := script(t, of("D-00000002", sample(KindOpened)), sample(KindOpened), sample(KindMerged), sample(KindDismissed))
	problems := CheckTransitions(e, func(x *Event) bool { return x.ID != e[0].ID })
	if len(problems) != 1 || problems[0].Event != e[3].ID {
		t.Errorf("problems %v, want the decision about an alias", problems)
	}
}

// One defect that every run sees again must not make the check slow.
func TestCheckTransitionsOfALongLife(t *testing.T) {
	t.Parallel()
	events := []Event{seal(t, in(0, sample(KindOpened)))}
	for i := range 3000 {
		e := in(i%3, sample(KindObserved))
		e.At = noon.Add(time.Duration(i+1) * time.Second)
		events = append(events, seal(t, e))
	}
	if problems := CheckTransitions(events, nil); len(problems) > 0 {
		t.Errorf("problems %v", problems[:1])
	}
}
