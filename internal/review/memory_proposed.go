package review

import (
	"io/fs"
	"path"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/rule"
)

// proposedRule says in one line what a changed record would say once it is
// merged, or why it would have no effect, so that a rule cannot slip in unread.
// It is "" for a file that is no record of a rule, or is gone.
func proposedRule(f *diff.File, head fs.FS) string {
	p := f.Path()
	if path.Dir(p) != rule.Folder || path.Ext(p) != ".yaml" {
		return ""
	}
	text := readText(head, p)
	if text == nil {
		return ""
	}
	r, err := rule.Parse(text)
	if err != nil {
		return ": it cannot be read and will have no effect: " + cut(err.Error(), maxItem)
	}
	if cs := r.Forbidden(); len(cs) > 0 {
		return ": " + cut(r.Line(), maxItem) + "; it will have no effect: " + cs[0].Msg
	}
	if r.Status != rule.Active {
		return ": " + cut(r.Line(), maxItem) + "; " + string(r.Status)
	}
	return ": " + cut(r.Line(), maxItem)
}
