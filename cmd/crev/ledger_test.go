package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/validator"
)

// desk is a repository and a clock to run commands in.
type desk struct {
	t   *testing.T
	dir string
	now time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	d.mkdir(".crev")
	return d
}

func (d *desk) mkdir(name string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Join(d.dir, name), 0o777); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	d.mkdir(filepath.Dir(name))
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o777); err != nil {
		d.t.Fatal(err)
	}
}

// crev runs a command line one second after the last one.
func (d *desk) crev(stdin string, args ...string) (stdout, stderr string, status int) {
	d.t.Helper()
	d.now = d.now.Add(time.Second)
	var out, errs bytes.Buffer
	now := d.now
	status = run(d.t.Context(), world{
		in: strings.NewReader(stdin), out: &out, err: &errs, dir: d.dir,
		env: func(string) string { return "" }, now: func() time.Time { return now },
	}, args)
	return out.String(), errs.String(), status
}

// must runs a command line that has to succeed.
func (d *desk) must(stdin string, args ...string) string {
	d.t.Helper()
	out, errs, status := d.crev(stdin, args...)
	if status != 0 {
		d.t.Fatalf("crev %s: exit %d\n%s%s", strings.Join(args, " "), status, out, errs)
	}
	return out
}

// refused runs a command line that has to fail with a usage error of one line
// that says want.
func (d *desk) refused(want, stdin string, args ...string) {
	d.t.Helper()
	out, errs, status := d.crev(stdin, args...)
	if status != exitUsage || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
		d.t.Errorf("crev %s: exit %d, %q and %q; want exit %d and one line with %q", strings.Join(args, " "), status, out, errs, exitUsage, want)
	}
}

// add records one finding and returns what --json says of it.
func (d *desk) add(claim, run string, pr int) addOutput {
	d.t.Helper()
	input := fmt.Sprintf(`{"path":"src/api/sessions.ts","start_line":42,"claim":%q,"source":"code","run":%q,"pr":%d,"quote":"if (a == b)"}`, claim, run, pr)
	return decodeJSON[addOutput](d.t, d.must(input, "ledger", "add", "--json"))
}

func decodeJSON[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// tally returns the classes.
func (d *desk) tally(args ...string) []ledger.Class {
	d.t.Helper()
	return decodeJSON[struct{ Classes []ledger.Class }](d.t, d.must("", append([]string{"ledger", "tally", "--json"}, args...)...)).Classes
}

// ledgerFiles returns the run files and packs, without the README.
func (d *desk) ledgerFiles() []string {
	d.t.Helper()
	var files []string
	_ = filepath.WalkDir(filepath.Join(d.dir, ledger.Folder), func(p string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(p) == ".jsonl" {
			rel, _ := filepath.Rel(d.dir, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files
}

const (
	claimOne   = "Session token isn't compared in constant-time (line 42)."
	claimTwo   = "session token is not compared in constant time"
	claimOther = "The session cookie isn't marked as strict"
)

func TestLedgerAddCountsWordingsOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.add(claimOne, "r-0611", 0)
	b := d.add(claimTwo, "r-0612", 0)
	c := d.add(claimOther, "r-0612", 0)
	if a.FP != b.FP || a.Defect != b.Defect || a.Event == b.Event {
		t.Errorf("two typings: %+v and %+v, want one class and defect in two events", a, b)
	}
	if c.FP == a.FP || c.Defect == a.Defect {
		t.Errorf("two claims: %+v and %+v, want two classes", a, c)
	}
	classes := d.tally()
	if len(classes) != 2 || classes[0].FP != a.FP || classes[0].Runs != 2 || classes[0].Sightings != 2 || classes[0].Claim != claimOne {
		t.Errorf("tally: %+v", classes)
	}
	files := d.ledgerFiles()
	if len(files) != 3 || !strings.HasPrefix(files[0], ".crev/ledger/2026-11/30/0-r-0611-") {
		t.Errorf("files: %v", files)
	}
}

func TestLedgerAddReadsLinesAndPrettyObjects(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.must("\ufeff"+`{"path":"./src//a.go","claim":"one","source":"code","run":"r-1","evidence":null}
{
  "path": "src/a.go",
  "claim": "two", "source": "code", "run": "r-1", "evidence": "seen", "tier": 1,
  "criteria": ["a", "b"]
} {"path":"src/a.go","claim":"three","source":"code","run":"r-2"}
{"path":"src/a.go","claim":"one.","source":"code","run":"r-1"}
`, "ledger", "add", "--json", "--by", "maria")
	var got []addOutput
	for line := range strings.Lines(out) {
		got = append(got, decodeJSON[addOutput](t, line))
	}
	if len(got) != 4 || got[0].FP != got[3].FP || got[0].FP == got[1].FP {
		t.Fatalf("output %+v, want four lines, the first and last of one class", got)
	}
	if files := d.ledgerFiles(); len(files) != 2 {
		t.Errorf("files %v, want one a run", files)
	}
	show := d.must("", "ledger", "show", string(got[1].Defect), "--json")
	defect := decodeJSON[struct{ Defect ledger.Defect }](t, show).Defect
	if defect.Tier.String() != "tier 1" || len(defect.Criteria) != 2 || defect.Evidence[0] != "seen" || defect.Locations[0].Path != "src/a.go" {
		t.Errorf("defect %+v", defect)
	}
}

func TestLedgerAddRedacts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	d.must(`{"path":"a.go","claim":"a token is in the code","source":"code","run":"r-1","quote":"token := \"`+secret+`\""}`, "ledger", "add")
	text, err := os.ReadFile(filepath.Join(d.dir, d.ledgerFiles()[0]))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), secret) {
		t.Errorf("the secret is in the ledger: %s", text)
	}
}

func TestLedgerAddRefusesAllOrNothing(t *testing.T) {
	t.Parallel()
	const good = `{"path":"a.go","claim":"c","source":"code","run":"r-1"}` + "\n"
	tests := map[string]struct{ input, want string }{
		"nothing":           {"", "nothing on standard input"},
		"blanks":            {" \n\t\n", "nothing on standard input"},
		"an unknown field":  {good + `{"path":"a.go","clam":"c"}`, `finding on line 2: unknown field "clam"; the fields are path,`},
		"half an object":    {good + "\n" + `{"path":"a.go"`, "finding on line 3: unexpected EOF"},
		"no object":         {good + `["a"]`, "finding on line 2"},
		"a number as text":  {`{"path":7}`, `field "path" cannot be a number`},
		"no path":           {good + good + `{"claim":"c","source":"code","run":"r-1"}`, `finding on line 3: field "path" is missing`},
		"no claim":          {`{"path":"a.go","claim":" ","source":"code","run":"r-1"}`, `field "claim" is missing`},
		"no run":            {`{"path":"a.go","claim":"c","source":"code"}`, `field "run" is missing`},
		"a path upwards":    {`{"path":"../a.go","claim":"c","source":"code","run":"r-1"}`, "../a.go"},
		"a severity":        {`{"path":"a.go","claim":"c","source":"code","run":"r-1","severity":"HUGE"}`, "severity"},
		"a tier":            {`{"path":"a.go","claim":"c","source":"code","run":"r-1","tier":3}`, "tier"},
		"a run with blanks": {`{"path":"a.go","claim":"c","source":"code","run":"r 1"}`, "run"},
		"lines backwards":   {`{"path":"a.go","claim":"c","source":"code","run":"r-1","start_line":9,"end_line":3}`, "lines 9 to 3"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.refused(tt.want, tt.input, "ledger", "add")
			if files := d.ledgerFiles(); len(files) > 0 {
				t.Errorf("files %v, want none", files)
			}
		})
	}
}

func TestLedgerTally(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if out := d.must("", "ledger", "tally"); !strings.Contains(out, "no findings") {
		t.Errorf("an empty ledger: %q", out)
	}
	if d.tally() == nil {
		t.Error("an empty ledger as JSON is no empty list")
	}
	for push := range 10 {
		d.add(claimOne, fmt.Sprintf("%d.1", 100+push), 7)
	}
	for range 5 {
		d.add(claimOther, "r-1", 0)
	}
	find := func(claim string, args ...string) ledger.Class {
		for _, c := range d.tally(args...) {
			if c.Claim == claim {
				return c
			}
		}
		t.Fatalf("no class with the claim %q", claim)
		return ledger.Class{}
	}
	if c := find(claimOne); c.Status != ledger.ClassNew || c.Recurrence != 1 {
		t.Errorf("ten pushes to one pull request: %+v", c)
	}
	if c := find(claimOne, "--unit", "run"); c.Status != ledger.ClassRecurring || c.Recurrence != 10 {
		t.Errorf("ten runs: %+v", c)
	}
	d.add(claimTwo, "200.1", 8)
	d.add(claimTwo, "201.1", 9)
	classes := d.tally()
	if classes[0].Status != ledger.ClassRecurring || classes[0].PullRequests != 3 || classes[1].Recurrence != 1 || classes[1].Sightings != 5 {
		t.Errorf("classes %+v", classes)
	}
	var same bytes.Buffer
	if err := printJSON(&same, struct {
		Classes []ledger.Class `json:"classes"`
	}{classes}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(same.String(), d.must("", "ledger", "tally", "--json")); diff != "" {
		t.Errorf("tally --json is not written as other commands write:\n%s", diff)
	}
	if c := d.tally("-recur", "4")[0]; c.Status != ledger.ClassNew {
		t.Errorf("with a threshold of 4: %+v", c)
	}
	if out := d.must("", "ledger", "tally"); !strings.Contains(out, classes[0].FP+"  recurring  3") {
		t.Errorf("table:\n%s", out)
	}
	d.refused("--unit", "", "ledger", "tally", "--unit", "week")
	d.refused("--recur 0", "", "ledger", "tally", "--recur", "0")
	d.refused("unexpected", "", "ledger", "tally", "now")
}

func TestLedgerTallyRefusesABrokenLedger(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(claimOne, "r-1", 0)
	d.write(".crev/ledger/2026-11/30/0-bad-1.jsonl", "{\"fp\":\"half\n")
	d.refused(".crev/ledger/2026-11/30/0-bad-1.jsonl:1: not an event", "", "ledger", "tally")
}

func TestLedgerFindsTheRepository(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(claimOne, "r-1", 0)
	root := d.dir
	d.mkdir("src/deep")
	d.dir = filepath.Join(root, "src/deep")
	if got := d.tally(); len(got) != 1 {
		t.Errorf("from a folder below: %+v", got)
	}
	d.dir = t.TempDir()
	d.refused("no repository here", "", "ledger", "tally")
}

func TestLedgerTriage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if out := d.must("", "ledger", "triage"); !strings.Contains(out, "Nothing to decide") {
		t.Errorf("an empty ledger: %q", out)
	}
	d.add(claimOne, "1.1", 1)
	d.add(claimTwo, "2.1", 2)
	due := d.add(claimOne, "3.1", 3)
	d.add(claimOther, "3.1", 3)
	out := d.must("", "ledger", "triage")
	for _, want := range []string{
		due.FP + "  3 pull requests, 3 runs, 3 sightings", "src/api/sessions.ts", "3× " + claimOne, "| if (a == b)",
		"crev ledger promote --scaffold " + due.FP, "crev ledger retire " + due.FP,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("triage lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, claimOther) {
		t.Errorf("triage shows a class that came up once:\n%s", out)
	}
	classes := decodeJSON[struct{ Classes []triaged }](t, d.must("", "ledger", "triage", "--json")).Classes
	if len(classes) != 1 || classes[0].FP != due.FP || len(classes[0].Phrases) != 1 || classes[0].Code != "if (a == b)" {
		t.Errorf("triage --json: %+v", classes)
	}
}

// writeValidator writes a validator that finds its bad sample.
func (d *desk) writeValidator(name, goodSample string) {
	d.t.Helper()
	dir := ".crev/validators/" + name + "/"
	d.write(dir+"validator.yaml", "says: Compare session tokens with timingSafeEqual.\nkind: pattern\nscope: src/api/**/*.ts\nmust_not: token\\s*==\n")
	d.write(dir+"bad/src/api/sessions.ts", "if (token == stored) {\n")
	d.write(dir+"good/src/api/sessions.ts", goodSample)
}

func TestLedgerPromote(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	fp := d.add(claimOne, "1.1", 1).FP
	d.refused("promote "+fp[:4]+": no check attached; commit .crev/validators/NAME and pass --check .crev/validators/NAME", "", "ledger", "promote", fp[:4])
	d.refused("no check attached; there is no .crev/validators/tokens/validator.yaml", "", "ledger", "promote", fp, "--check", ".crev/validators/tokens")
	d.refused("is no validator", "", "ledger", "promote", fp, "--check", "../tokens")

	d.writeValidator("greedy", "if (token == null) {\n")
	d.refused("overfit", "", "ledger", "promote", fp, "--check", "validators/greedy")
	d.write(".crev/validators/broken/validator.yaml", "says: x\nscope: a.go\nkind: magic\n")
	d.refused(".crev/validators/broken/validator.yaml:3: kind", "", "ledger", "promote", fp, "--check", ".crev/validators/broken")

	d.writeValidator("tokens", "if (timingSafeEqual(token, stored)) {\n")
	d.refused("no class with that fingerprint", "", "ledger", "promote", "abcdef0123456789", "--check", ".crev/validators/tokens")
	d.refused("is no class", "", "ledger", "promote", "xyz", "--check", ".crev/validators/tokens")
	before := d.ledgerFiles()

	got := decodeJSON[ruling](t, d.must("", "ledger", "promote", fp[:6], "-check", "validators/tokens/", "--by", "maria", "--json"))
	hash, err := validator.Hash(os.DirFS(filepath.Join(d.dir, ".crev/validators/tokens")))
	if err != nil {
		t.Fatal(err)
	}
	if got.FP != fp || got.Validator != "tokens" || got.Hash != hash {
		t.Errorf("promote --json: %+v, want validator tokens with hash %s", got, hash)
	}
	if c := d.tally()[0]; c.Status != ledger.ClassPromoted || c.Validator != "tokens" {
		t.Errorf("after the promotion: %+v", c)
	}
	if files := d.ledgerFiles(); len(files) != len(before)+1 {
		t.Errorf("files %v, want one more than %v", files, before)
	}
	if out := d.must("", "ledger", "triage", "--recur", "1"); !strings.Contains(out, "Nothing to decide") {
		t.Errorf("triage after the promotion: %s", out)
	}
}

func TestLedgerRetire(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	old := d.add(claimOne, "1.1", 1)
	d.now = d.now.AddDate(0, 0, 100)
	fresh := d.add(claimOther, "2.1", 2)

	d.refused("which class", "", "ledger", "retire")
	d.refused("--reason", "", "ledger", "retire", old.FP)
	d.refused("not both", "", "ledger", "retire", old.FP, "--older-than", "3")
	d.refused("no class with that", "", "ledger", "retire", "abcdef01", "--reason", "x")

	out := d.must("", "ledger", "retire", "--older-than", "90")
	if !strings.Contains(out, "retired "+old.FP+": not seen for 90 days") || strings.Contains(out, fresh.FP) {
		t.Errorf("retire --older-than: %s", out)
	}
	if out := d.must("", "ledger", "retire", "--older-than", "90"); !strings.Contains(out, "Nothing to retire") {
		t.Errorf("again: %s", out)
	}
	d.refused("retired already", "", "ledger", "retire", old.FP, "--reason", "x")
	got := decodeJSON[struct{ Retired []ruling }](t, d.must("", "ledger", "retire", fresh.FP[:8], "--reason", "taste", "--json")).Retired
	if len(got) != 1 || got[0].FP != fresh.FP || got[0].Reason != "taste" {
		t.Errorf("retire --json: %+v", got)
	}
	for _, c := range d.tally() {
		if c.Status != ledger.ClassRetired {
			t.Errorf("class %+v, want retired", c)
		}
	}
	d.add(claimOne, "3.1", 3)
	for _, c := range d.tally() {
		if c.FP == old.FP && (c.Status != ledger.ClassNew || c.Recurrence != 1) {
			t.Errorf("seen again: %+v", c)
		}
	}
}

func TestLedgerRetiresAPromotedClassByPersonsOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	fp := d.add(claimOne, "1.1", 1).FP
	d.writeValidator("tokens", "if (timingSafeEqual(token, stored)) {\n")
	d.must("", "ledger", "promote", fp, "--check", ".crev/validators/tokens")
	d.now = d.now.AddDate(1, 0, 0)
	if out := d.must("", "ledger", "retire", "--older-than", "90"); !strings.Contains(out, "Nothing to retire") {
		t.Errorf("retire --older-than took a promotion back: %s", out)
	}
	d.refused("say who takes that back with --by", "", "ledger", "retire", fp, "--reason", "x")
	d.must("", "ledger", "retire", fp, "--reason", "too many false alarms", "--by", "maria")
	if c := d.tally()[0]; c.Status != ledger.ClassRetired {
		t.Errorf("class %+v, want retired", c)
	}
}

func TestLedgerShow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.add(claimOne, "1.1", 4)
	d.add(claimTwo, "2.1", 5)
	class := d.must("", "ledger", "show", a.FP[:5])
	for _, want := range []string{a.FP + "  new", claimOne, "2 pull requests, 2 runs, 2 sightings, 2 defects", "opened", "(1.1 #4)", "(2.1 #5)"} {
		if !strings.Contains(class, want) {
			t.Errorf("show of the class lacks %q:\n%s", want, class)
		}
	}
	defect := d.must("", "ledger", "show", string(a.Defect))
	for _, want := range []string{string(a.Defect) + "  open, as pull request #4 sees it", "src/api/sessions.ts:42", "tier 2, from code, 1 sighting"} {
		if !strings.Contains(defect, want) {
			t.Errorf("show of the defect lacks %q:\n%s", want, defect)
		}
	}
	got := decodeJSON[struct {
		Class  ledger.Class
		Events []ledger.Event
	}](t, d.must("", "ledger", "show", a.FP, "--json"))
	if got.Class.FP != a.FP || len(got.Events) != 2 {
		t.Errorf("show --json: %+v", got)
	}
	d.refused("no such defect", "", "ledger", "show", "D-00000000")
	d.refused("no such defect, as pull request #9", "", "ledger", "show", string(a.Defect), "--pr", "9")
	d.refused("name a class or a defect", "", "ledger", "show")
}

func TestLedgerVerify(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(claimOne, "1.1", 4)
	if out := d.must("", "ledger", "verify"); out != "1 event, 0 problems\n" {
		t.Errorf("verify: %q", out)
	}
	name := d.ledgerFiles()[0]
	text, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	d.write(name, strings.Replace(string(text), "constant", "variable", 1))
	out, _, status := d.crev("", "ledger", "verify")
	if status != exitBlocked || !strings.Contains(out, "does not match the content") || !strings.Contains(out, "0 events, 1 problem") {
		t.Errorf("verify of an edited ledger: exit %d, %s", status, out)
	}
	out, _, status = d.crev("", "ledger", "verify", "--json")
	problems := decodeJSON[struct{ Problems []ledger.Problem }](t, out).Problems
	if status != exitBlocked || len(problems) != 1 || problems[0].Line != 1 {
		t.Errorf("verify --json: exit %d, %+v", status, problems)
	}
}

func TestLedgerPackAndExport(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(claimOne, "1.1", 1)
	d.add(claimTwo, "2.1", 2)
	d.now = d.now.AddDate(0, 0, 40)
	d.add(claimOther, "3.1", 3)
	exported, classes := d.must("", "ledger", "export"), d.tally()
	if n := strings.Count(exported, "\n"); n != 3 {
		t.Errorf("export has %d lines:\n%s", n, exported)
	}
	if out := d.must("", "ledger", "pack"); out != "2 events of 2 run files in 1 pack\n" {
		t.Errorf("pack: %q", out)
	}
	if packs, runs := d.packsAndRuns(); packs != 1 || runs != 1 {
		t.Errorf("%d packs and %d run files, want one each", packs, runs)
	}
	if diff := cmp.Diff(exported, d.must("", "ledger", "export")); diff != "" {
		t.Errorf("packing changed the events:\n%s", diff)
	}
	if diff := cmp.Diff(classes, d.tally()); diff != "" {
		t.Errorf("packing changed the count:\n%s", diff)
	}
	d.must("", "ledger", "verify")
	d.must("", "ledger", "pack", "--older-than", "0", "--json")
	if packs, runs := d.packsAndRuns(); packs != 2 || runs != 0 {
		t.Errorf("%d packs and %d run files, want two and none", packs, runs)
	}
}

func (d *desk) packsAndRuns() (packs, runs int) {
	for _, f := range d.ledgerFiles() {
		if strings.HasPrefix(f, ledger.Folder+"/packs/") {
			packs++
		} else {
			runs++
		}
	}
	return packs, runs
}
