package ledger

// trials is what the ledger knows of how reliable validators are.
type trials struct {
	// quarantined holds the latest quarantine of a validator, proven the hash
	// that was proven since.
	quarantined map[string]Quarantined
	proven      map[string]string
	checked     []Checked
}

func (t *trials) quarantine(q Quarantined) {
	t.quarantined[q.Validator] = q
	delete(t.proven, q.Validator)
}

func (t *trials) prove(validator, hash string) { t.proven[validator] = hash }

// Quarantined returns the quarantine that a validator is under, false for none.
// It ends when the folder with this very hash is proven: changing the check is
// not enough.
func (s *State) Quarantined(validator, hash string) (Quarantined, bool) {
	q, ok := s.trials.quarantined[validator]
	return q, ok && s.trials.proven[validator] != hash
}

// Answered returns what earlier runs say that a validator with this hash
// answered about a revision, oldest first: its clear answers only, because a
// machine that cannot run it says nothing about it.
func (s *State) Answered(commit, base string, r CheckResult) []CheckResult {
	var out []CheckResult
	for _, c := range s.trials.checked {
		if c.Commit != commit || c.Base != base {
			continue
		}
		for _, old := range c.Results {
			decided := old.Status == "clean" || old.Status == "found"
			if decided && old.Validator == r.Validator && old.Hash == r.Hash {
				out = append(out, old)
			}
		}
	}
	return out
}
