package diff

import "strings"

// Since returns what a new revision of a pull request changes that its old
// revision did not: the files of after with only the hunks that before does
// not have. Both are diffs against their own merge base, so commits that came
// in with a rebase are in neither.
//
// Hunks are the same when they have the same lines, context included, on the
// same path; where they are in the file does not matter. When a rebase changes
// the context of a hunk, the hunk counts as new: too much is looked at again
// rather than too little. A file without hunks is returned when its blobs or
// modes differ from before. The hunks share memory with after.
func Since(before, after []File) []File {
	seen := map[string]*File{}
	for i := range before {
		seen[before[i].Path()] = &before[i]
	}
	var changed []File
	for _, f := range after {
		old := seen[f.Path()]
		if old == nil {
			changed = append(changed, f)
			continue
		}
		if sameFacts(old, &f) {
			if len(f.Hunks) == 0 {
				continue
			}
			if f.Hunks = newHunks(old.Hunks, f.Hunks); len(f.Hunks) == 0 {
				continue
			}
		}
		changed = append(changed, f)
	}
	return changed
}

// sameFacts reports whether all but the hunks agree. Blobs decide only where
// there are no hunks to compare: a rebase changes the blob of every file that
// the base changed too.
func sameFacts(a, b *File) bool {
	if a.Status != b.Status || a.Kind != b.Kind || a.OldPath != b.OldPath ||
		a.OldMode != b.OldMode || a.NewMode != b.NewMode {
		return false
	}
	if len(a.Hunks) == 0 && len(b.Hunks) == 0 {
		return a.NewBlob == b.NewBlob || a.OldBlob == a.NewBlob && b.OldBlob == b.NewBlob
	}
	return true
}

// newHunks returns the hunks of after that before lacks; a hunk that is there
// twice must have been there twice.
func newHunks(before, after []Hunk) []Hunk {
	have := map[string]int{}
	for i := range before {
		have[before[i].body()]++
	}
	var list []Hunk
	for i := range after {
		if b := after[i].body(); have[b] > 0 {
			have[b]--
			continue
		}
		list = append(list, after[i])
	}
	return list
}

// body returns the lines of the hunk without its place.
func (h *Hunk) body() string {
	_, lines, _ := strings.Cut((&Hunk{Lines: h.Lines}).String(), "\n")
	return lines
}
