package review

import (
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/learn"
)

// maxAddressed is how many places the note about them names.
const maxAddressed = 5

// addressed notes where the change speaks to its reviewer, for example to be
// taken for reviewed already. A model may obey such a text, so people are told
// that it is there, whatever the model makes of it. It blocks nothing.
func (j *job) addressed() {
	var at []string
	if len(learn.Addressed(strings.Split(j.in.Title+"\n"+j.in.Description, "\n"))) > 0 {
		at = append(at, "the description")
	}
	for _, f := range j.files {
		if strings.HasPrefix(f.Path(), ".crev/ledger/") {
			continue
		}
		for _, n := range addressedLines(f) {
			at = append(at, fmt.Sprintf("%s:%d", f.Path(), n))
		}
	}
	if len(at) == 0 {
		return
	}
	more := ""
	if n := len(at) - maxAddressed; n > 0 {
		at, more = at[:maxAddressed], fmt.Sprintf(" and %s", plural(n, "more place"))
	}
	j.note("text addressed to reviewers found at %s%s: the model was shown it as part of the change and may have obeyed it; read those lines yourself",
		strings.Join(at, ", "), more)
}

// addressedLines are the added lines of a file where a text to the reviewer
// begins.
func addressedLines(f *diff.File) []int {
	var out []int
	for _, h := range f.Hunks {
		var texts []string
		var numbers []int
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				texts, numbers = append(texts, l.Text), append(numbers, l.New)
			}
		}
		for _, i := range learn.Addressed(texts) {
			out = append(out, numbers[i])
		}
	}
	return out
}
