package review

import (
	"io/fs"
	"slices"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/validator"
)

// trust is what the base's ledger says of validators: which classes they decide
// and which of them flaked. The gate reads no more of the ledger than that, and
// nothing of the head's.
type trust struct {
	*ledger.State
	rulings []ledger.Event
}

// readTrust folds the rulings in the base's ledger.
func readTrust(base fs.FS) trust {
	folder, err := fs.Sub(base, ledger.Folder)
	if err != nil {
		panic(err) // Folder is a valid path
	}
	// Lines that cannot be read are the ledger check's business.
	events, _ := ledger.EventsOf(folder, ledger.KindPromoted, ledger.KindRetired, ledger.KindQuarantined,
		ledger.KindProven, ledger.KindMergedPR)
	return trust{ledger.Fold(events, ledger.View{}), events}
}

// decides lists the classes that a validator decides.
func (t trust) decides(name string) []string {
	var out []string
	for _, p := range t.Promotions() {
		if p.Validator == name {
			out = append(out, p.FP)
		}
	}
	return out
}

// retired reports whether a person retired a class, and nobody promoted it since.
func (t trust) retired(fp string) bool {
	by := ""
	for _, e := range t.rulings {
		if e.FP == fp && (e.Promoted != nil || e.Retired != nil) {
			by = ""
			if e.Retired != nil {
				by = e.By
			}
		}
	}
	return by != ""
}

// released reports whether every class that a validator claims or decides was
// retired by a person: it may be loosened.
func (t trust) released(v validator.Validator) bool {
	return ledger.Released(t.rulings, v.Name) && !slices.ContainsFunc(v.Promotes, func(fp string) bool { return !t.retired(fp) })
}

// hashOf identifies a validator by its folder, "" for a built-in one.
func hashOf(v validator.Validator) string {
	if v.Folder() == nil {
		return ""
	}
	h, err := validator.Hash(v.Folder())
	if err != nil {
		return "" // it was loaded a moment ago; unreadable, it matches nothing
	}
	return h
}

// named returns the validator with a name.
func named(vs []validator.Validator, name string) (validator.Validator, bool) {
	i := slices.IndexFunc(vs, func(v validator.Validator) bool { return v.Name == name })
	if i < 0 {
		return validator.Validator{}, false
	}
	return vs[i], true
}
