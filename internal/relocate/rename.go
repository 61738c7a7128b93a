package relocate

import (
	"cmp"
	"path"
	"slices"
)

const (
	// renameFloor is the least share of common text of a renamed file.
	renameFloor = 0.5
	// maxRenamePairs bounds the comparison of deleted with added files.
	maxRenamePairs = 250_000
)

// pair finds renames among deleted and added files, the most similar first,
// each file once.
func (m *Mapper) pair() error {
	if m.paired {
		return nil
	}
	m.paired = true
	var deleted, added []*changed
	for _, f := range m.files {
		switch {
		case f.NewPath == "" && f.Old != nil:
			deleted = append(deleted, f)
		case f.OldPath == "" && f.New != nil:
			added = append(added, f)
		}
	}
	if len(deleted)*len(added) == 0 || len(deleted)*len(added) > maxRenamePairs {
		return nil
	}
	for _, f := range slices.Concat(deleted, added) {
		if err := f.load(); err != nil {
			return err
		}
	}
	type rename struct {
		from, to *changed
		score    float64
	}
	var found []rename
	for _, d := range deleted {
		counts := lineWeights(d.old)
		for _, a := range added {
			if path.Ext(a.NewPath) != path.Ext(d.OldPath) {
				continue
			}
			if s := shared(counts, d.old, a.new); s >= renameFloor {
				found = append(found, rename{d, a, s})
			}
		}
	}
	slices.SortFunc(found, func(x, y rename) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.from.OldPath, y.from.OldPath), cmp.Compare(x.to.NewPath, y.to.NewPath))
	})
	taken := make(map[*changed]bool)
	for _, r := range found {
		if taken[r.from] || taken[r.to] {
			continue
		}
		taken[r.from], taken[r.to] = true, true
		r.from.NewPath, r.from.new = r.to.NewPath, r.to.new
		r.from.Hunks = nil
		r.from.compare()
		// From now on the deleted half stands for both.
		r.to.File = File{}
		r.to.new, r.to.spans, r.to.regions = nil, nil, nil
	}
	return nil
}

func lineWeights(t *text) map[string]int {
	counts := make(map[string]int, t.len())
	for _, l := range t.norm {
		counts[l]++
	}
	return counts
}

// shared is the share of text, by bytes, that two versions have in common.
func shared(counts map[string]int, a, b *text) float64 {
	left := make(map[string]int)
	common, total := 0, 0
	for _, l := range a.norm {
		total += len(l)
	}
	for _, l := range b.norm {
		total += len(l)
		if left[l] < counts[l] {
			left[l]++
			common += 2 * len(l)
		}
	}
	if total == 0 {
		return 0
	}
	return float64(common) / float64(total)
}
