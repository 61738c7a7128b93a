package batch

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/diff"
)

// group puts the files of one directory and type together. The groups come in
// the order of their first files.
func group(files []*diff.File, n notes) []*bundle {
	type key struct {
		dir  string
		kind kind
	}
	var parts []Part
	for _, f := range files {
		if len(f.Hunks) > 0 {
			parts = append(parts, Part{File: f, Hunks: f.Hunks})
		}
	}
	slices.SortStableFunc(parts, compareParts)
	at := map[key]*bundle{}
	dirs := directories{}
	var out []*bundle
	for _, p := range parts {
		path := p.File.Path()
		k := key{directoryOf(path), kindOf(path)}
		g, ok := at[k]
		if !ok {
			g = newBundle(dirs.of(k.dir), k.kind)
			at[k] = g
			out = append(out, g)
		}
		g.parts = append(g.parts, p)
		g.lines += p.Lines()
	}
	for _, g := range out {
		for _, p := range g.parts {
			n.group(p, g)
		}
	}
	return out
}

// tolerance keeps rounding from carrying a similarity over its limit: two thirds
// of .9 is .6, not more.
const tolerance = 1e-9

// mergeWithin merges groups of one directory whose types are more alike than
// the limit, the most alike first, where they fit one batch: what would have to
// be cut again is not put together.
func mergeWithin(groups []*bundle, l Limits, n notes) []*bundle {
	var out []*bundle
	for i := 0; i < len(groups); {
		end := i + 1
		for end < len(groups) && groups[end].dir.path == groups[i].dir.path {
			end++
		}
		out = append(out, mergeDirectory(slices.Clone(groups[i:end]), l, n)...)
		i = end
	}
	slices.SortFunc(out, compareBundles)
	return out
}

func mergeDirectory(groups []*bundle, l Limits, n notes) []*bundle {
	for {
		best, a, b := l.SameDir+tolerance, -1, -1
		for i, g := range groups {
			for j := i + 1; j < len(groups); j++ {
				s := g.kind.similarity(groups[j].kind)
				if s > best && g.lines+groups[j].lines <= l.MaxLines {
					best, a, b = s, i, j
				}
			}
		}
		if a < 0 {
			return groups
		}
		keep, gone := larger(groups[a], groups[b])
		n.merge(gone, keep, best)
		keep.absorb(gone)
		groups[a] = keep
		groups = slices.Delete(groups, b, b+1)
	}
}

// mergeAcross merges each fragment, a group below MinLines, with the group of
// another directory that it is most like, if that is more than the limit and
// the two fit one batch. A merged group is compared as the larger of its two.
func mergeAcross(groups []*bundle, l Limits, n notes) []*bundle {
	live := slices.Clone(groups)
	for i := 0; i < len(live); {
		g := live[i]
		best, j := l.CrossDir+tolerance, -1
		if g.lines < l.MinLines {
			best, j = mostAlike(live, i, best, l.MaxLines)
		}
		if j < 0 {
			i++
			continue
		}
		keep, gone := larger(g, live[j])
		n.merge(gone, keep, best)
		keep.absorb(gone)
		// What is left stands where the earlier of the two stood, and is
		// looked at again.
		live[min(i, j)] = keep
		live = slices.Delete(live, max(i, j), max(i, j)+1)
		i = min(i, j)
	}
	slices.SortFunc(live, compareBundles)
	return live
}

// mostAlike finds the group of another directory that live[i] is more like than
// least, and how much; -1 when there is none. The first one of equals wins.
func mostAlike(live []*bundle, i int, least float64, maxLines int) (best float64, at int) {
	g := live[i]
	best, at = least, -1
	for j, o := range live {
		if j == i || g.lines+o.lines > maxLines || g.dir.path == o.dir.path {
			continue
		}
		types := g.kind.similarity(o.kind)
		if types*g.dir.reach(o.dir) <= best {
			continue
		}
		if s := types * g.dir.similarity(o.dir); s > best {
			best, at = s, j
		}
	}
	return best, at
}
