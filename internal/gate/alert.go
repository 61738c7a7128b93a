package gate

import "fmt"

// Shares count batches by what the gate said of them: those of one run, or of all
// runs of a repository.
type Shares struct {
	Passed     int `json:"passed"`
	Retried    int `json:"retried"`
	Forced     int `json:"forced"`
	Reused     int `json:"reused"`
	Unreviewed int `json:"unreviewed"`
}

// Add counts one more batch, by the gate's word for it. An unknown word counts
// for nothing.
func (s *Shares) Add(gate string) {
	switch gate {
	case "passed":
		s.Passed++
	case "retried":
		s.Retried++
	case "forced":
		s.Forced++
	case "reused":
		s.Reused++
	case "unreviewed":
		s.Unreviewed++
	}
}

// judged is how many results the gate looked at.
func (s Shares) judged() int { return s.Passed + s.Retried + s.Forced }

// The limits of Alerts. In a normal run hardly any batch is asked again; a third
// is a sign that a limit or the model changed. A forced batch was never good
// enough, so a tenth is too much. Below minJudged batches a share says nothing.
const (
	minJudged   = 5
	retriedMost = 1. / 3
	forcedMost  = 1. / 10
)

// Alerts says what is abnormal about the shares, in plain words with what to do;
// nil when nothing is. A forced batch was retried as well and counts for both.
func Alerts(s Shares) []string {
	all := s.judged()
	if all < minJudged {
		return nil
	}
	var out []string
	share := func(n int) float64 { return float64(n) / float64(all) }
	if n := s.Retried + s.Forced; share(n) > retriedMost {
		out = append(out, fmt.Sprintf("%d of %d batches were asked again (%.0f %%, normal is up to %.0f %%): "+
			"the limits of the gate are too tight, or the model answers worse than before", n, all, 100*share(n), 100*retriedMost))
	}
	if share(s.Forced) > forcedMost {
		out = append(out, fmt.Sprintf("%d of %d batches were taken although the gate refused them (%.0f %%, normal is up to %.0f %%): "+
			"look at some of them, and calibrate the limits with `crev bench calibrate`", s.Forced, all, 100*share(s.Forced), 100*forcedMost))
	}
	return out
}
