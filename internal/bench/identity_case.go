package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/crev-ratchet/crev/internal/reconcile"
)

// claim is one line of findings.jsonl: one finding of one run, with the label
// that says which defect it is about.
type claim struct {
	ID    string `json:"id"`
	Group string `json:"group"`
	Run   string `json:"run"`
	// Order is the place of the run in its group.
	Order  int     `json:"order"`
	Path   *string `json:"path"`
	Start  *int    `json:"start_line"`
	End    *int    `json:"end_line"`
	Commit *string `json:"commit"`
	Title  string  `json:"title"`
	Text   string  `json:"text"`
	// Truth is the defect, nil when it is unknown. No matcher sees it.
	Truth *string `json:"truth"`
}

// labelled is one line of pairs.jsonl.
type labelled struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Same bool   `json:"same"`
}

// content is one line of files.jsonl: what a flagged file held at a commit.
type content struct {
	Group  string  `json:"group"`
	Commit string  `json:"commit"`
	Path   string  `json:"path"`
	Blob   *string `json:"blob"`
	Bytes  *int    `json:"bytes"`
}

// identityCases is a parsed corpus. Claims are sorted by group, run order and
// position in the file; pairs hold indices into claims.
type identityCases struct {
	claims []claim
	// groups are the half-open ranges of claims, one a group.
	groups []span
	pairs  []pair
	files  map[fileKey]string
	// places remembers what locate answered.
	places map[placeKey]reconcile.Place
}

type span struct{ from, to int }

// pair is a labelled pair of claims of one group.
type pair struct {
	a, b, group int
	same        bool
}

type fileKey struct{ group, commit, path string }

// readIdentity reads a corpus. files.jsonl and blobs are optional.
func readIdentity(fsys fs.FS) (*identityCases, error) {
	claims, err := readLines[claim](fsys, "findings.jsonl")
	if err != nil {
		return nil, err
	}
	pairs, err := readLines[labelled](fsys, "pairs.jsonl")
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Order, b.Order))
	})
	c := &identityCases{claims: claims, files: map[fileKey]string{}, places: map[placeKey]reconcile.Place{}}
	at := make(map[string]int, len(claims))
	for i, cl := range claims {
		if _, twice := at[cl.ID]; twice || cl.ID == "" {
			return nil, fmt.Errorf("read findings.jsonl: id %q is empty or used twice", cl.ID)
		}
		at[cl.ID] = i
		if i == 0 || claims[i-1].Group != cl.Group {
			c.groups = append(c.groups, span{i, i})
		}
		c.groups[len(c.groups)-1].to = i + 1
	}
	for _, p := range pairs {
		a, okA := at[p.A]
		b, okB := at[p.B]
		if !okA || !okB || claims[a].Group != claims[b].Group {
			return nil, fmt.Errorf("read pairs.jsonl: %s and %s are not two findings of one group", p.A, p.B)
		}
		g := slices.IndexFunc(c.groups, func(s span) bool { return a >= s.from && a < s.to })
		c.pairs = append(c.pairs, pair{a, b, g, p.Same})
	}
	return c, c.readFiles(fsys)
}

func (c *identityCases) readFiles(fsys fs.FS) error {
	files, err := readLines[content](fsys, "files.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Blob == nil {
			continue
		}
		b, err := fs.ReadFile(fsys, "blobs/"+*f.Blob)
		if err != nil {
			return fmt.Errorf("read blob of %s at %s: %w", f.Path, f.Commit, err)
		}
		c.files[fileKey{f.Group, f.Commit, f.Path}] = string(b)
	}
	return nil
}

// runs cuts a group into its runs, in order.
func (c *identityCases) runs(g span) []span {
	var out []span
	for i := g.from; i < g.to; i++ {
		if i == g.from || c.claims[i].Order != c.claims[i-1].Order {
			out = append(out, span{i, i})
		}
		out[len(out)-1].to = i + 1
	}
	return out
}

// readLines decodes a file of one JSON object a line and refuses unknown
// fields. Blank lines are skipped.
func readLines[T any](fsys fs.FS, name string) ([]T, error) {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var out []T
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, len(b)+1)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var v T
		dec := json.NewDecoder(bytes.NewReader(sc.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("read %s line %d: %w", name, n, err)
		}
		out = append(out, v)
	}
	return out, nil
}
