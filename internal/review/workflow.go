package review

import (
	"bytes"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
)

// changedWorkflows notes which changed workflows run crev. Under pull_request
// GitHub runs the version of the change, so that it can leave crev out or give it
// other inputs; only a ruleset and the owners of the file can prevent that.
func (j *job) changedWorkflows() {
	for _, f := range j.files {
		p := f.Path()
		if !strings.HasPrefix(p, ".github/workflows/") || !j.runsCrev(f) {
			continue
		}
		j.note("%s runs crev and is %s: for a pull request GitHub runs that version already; require the check in a ruleset and protect .github/ and .crev/ with CODEOWNERS",
			p, f.Status)
	}
}

// runsCrev reports whether a file names crev, at the base or at the head.
func (j *job) runsCrev(f *diff.File) bool {
	old, fresh := readText(j.baseTree, f.OldPath), readText(j.headTree, f.NewPath)
	return bytes.Contains(old, []byte("crev")) || bytes.Contains(fresh, []byte("crev"))
}
