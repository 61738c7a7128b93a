package bench

import (
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/reconcile"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// placeKey names a claim and a commit.
type placeKey struct {
	claim  int
	commit string
}

// locate is where the place of claim i is at a commit: what the relocation
// engine says when the corpus has the file at both commits, otherwise the place
// as it was reported. It is false when the claim has no place.
func (c *identityCases) locate(i int, commit string) (reconcile.Place, bool) {
	l, ok := c.claims[i].location()
	if !ok {
		return reconcile.Place{}, false
	}
	key := placeKey{i, commit}
	p, done := c.places[key]
	if !done {
		p = c.relocate(c.claims[i].Group, l, commit)
		if commit == "" || p.Commit != commit {
			commit = l.Commit
		}
		p.Symbol = c.symbol(c.claims[i].Group, commit, p.Location)
		c.places[key] = p
	}
	return p, true
}

// symbol names the declaration around a location of a file that the corpus has
// at the commit, as a review of that commit would.
func (c *identityCases) symbol(group, commit string, l finding.Location) string {
	text, ok := c.files[fileKey{group, commit, l.Path}]
	if !ok || l.Start == 0 {
		return ""
	}
	s, _ := relocate.Enclosing(relocate.Symbols(l.Path, []byte(text)), l.Start)
	return s.Name
}

func (c *identityCases) relocate(group string, l finding.Location, commit string) reconcile.Place {
	as := reconcile.Place{Location: l}
	if l.Commit == "" || commit == "" || l.Commit == commit || l.Start == 0 {
		return as
	}
	old, okOld := c.files[fileKey{group, l.Commit, l.Path}]
	now, okNow := c.files[fileKey{group, commit, l.Path}]
	if !okOld || !okNow {
		return as
	}
	m := relocate.New(relocate.Change{To: commit, Files: []relocate.File{{
		OldPath: l.Path, NewPath: l.Path,
		Old: relocate.Bytes([]byte(old)), New: relocate.Bytes([]byte(now)),
	}}}, relocate.Options{})
	a, err := m.Locate(l)
	if err != nil || a.How == relocate.Gone {
		return as
	}
	return reconcile.Place{Location: a.Location, How: string(a.How), Ambiguous: a.Ambiguous}
}
