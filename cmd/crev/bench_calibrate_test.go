package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// reviewedLedger writes a ledger of n normal reviews of one Go file each, a day
// apart, and of forced ones.
func reviewedLedger(t *testing.T, normal, forced int) string {
	t.Helper()
	dir := t.TempDir()
	store, err := ledger.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for i := range normal + forced {
		r := &ledger.Reviewed{
			Commit: "7a11bce2d0e9", Base: "5e0a9c31d0e9", Batch: "1", Gate: "passed", Prompts: "p1",
			Files: []ledger.CoveredFile{{Path: fmt.Sprintf("src/f%d.go", i), Blob: "0c1d2e3f"}},
			Lines: 100, Findings: 1, Seconds: 2, Tries: 1, Reviewers: 2, ReviewTokens: 176, CompletionTokens: 900,
		}
		if i >= normal {
			r.Gate, r.Tries = "forced", 4
		}
		e, err := ledger.Seal(ledger.Event{FP: ledger.NoClass, Run: fmt.Sprintf("%d.1", i+1), PR: 7, At: at.AddDate(0, 0, i), Payload: ledger.Payload{Reviewed: r}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.WriteRun(7, e.Run, e.At, []ledger.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.FromSlash(ledger.Folder))
}

func calibrate(t *testing.T, args ...string) (out string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	w := world{in: strings.NewReader(""), out: &stdout, err: &stderr, dir: t.TempDir(), env: func(string) string { return "" }}
	status = run(t.Context(), w, append([]string{"bench", "calibrate"}, args...))
	return stdout.String() + stderr.String(), status
}

func TestBenchCalibrate(t *testing.T) {
	t.Parallel()
	dir := reviewedLedger(t, 31, 4)
	// 176 of 440 expected tokens are 40 %, of which .35 is asked.
	out, status := calibrate(t, "-ledger", dir)
	want := `# 31 normal reviews of 35 recorded batches, 2026-10-01 to 2026-10-31
gate:
  effort_unit: tokens
  min_effort_coefficient: 0.35
  lines_per_expected_finding: 110
  min_density_coefficient: 0
# now: mode record (default), min_effort_coefficient 0 (default), min_density_coefficient 0 (default), lines_per_expected_finding 100 (default)
# 4 of 35 batches were taken although the gate refused them (11 %, normal is up to 10 %): look at some of them, and calibrate the limits with ` + "`crev bench calibrate`" + `

# where there is enough for a value of its own:
# FILES  REVIEWS  LINES PER FINDING  MIN DENSITY
# *.go   31       110                0
# src/   31       110                0
`
	if d := cmp.Diff(want, out); d != "" || status != exitClean {
		t.Errorf("status %d, -want +got\n%s", status, d)
	}
	out, status = calibrate(t, "-ledger", dir, "-json", "-unit", "seconds")
	var got calibration
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != exitClean {
		t.Fatalf("status %d, %v in %s", status, err, out)
	}
	if got.EffortUnit != gate.Seconds || got.MinEffort != .7 || got.Shares != (gate.Shares{Passed: 31, Forced: 4}) || len(got.Groups) != 2 {
		t.Errorf("in JSON it is %+v", got)
	}
}

func TestBenchCalibrateRefuses(t *testing.T) {
	t.Parallel()
	few := reviewedLedger(t, 3, 1)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"too few":   {[]string{"-ledger", few}, "crev: calibrate the gate: 3 of 4 recorded batches are normal reviews, and 20 are the least"},
		"no ledger": {[]string{"-ledger", filepath.Join(few, "none")}, "crev: open ledger: "},
		"a unit":    {[]string{"-ledger", few, "-unit", "hours"}, `crev: crev bench calibrate: -unit "hours"; want tokens or seconds`},
		"no flag":   {[]string{few}, "crev: crev bench calibrate: unexpected "},
		"no git":    {nil, "crev: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, status := calibrate(t, c.args...); status != exitUsage || !strings.HasPrefix(out, c.want) {
				t.Errorf("status %d, %q; want %q", status, out, c.want)
			}
		})
	}
}
