package review

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// The limits of the code that a finder is shown besides the files of its batch.
const (
	// usesRoom is the room for uses in one request, in bytes: about 4,000
	// tokens beside the 15,000 of a full batch.
	usesRoom = 16_000
	// usesPerName is how many uses of one declaration are shown.
	usesPerName = 5
	// usesAround is how many lines above and below a use are shown.
	usesAround = 2
	// minName is the length, in bytes, below which a name says too little to
	// be looked for.
	minName = 4
	// usesFiles and usesBytes bound what is read of the tree, nearest files
	// first.
	usesFiles = 2_000
	usesBytes = 16 << 20
)

// use is a line of another file that names a declaration.
type use struct {
	path string
	line int
}

// uses finds, for the declarations that the change touches, where other code
// names them: who calls a changed function decides whether the change is right.
// It is a plain search for the name, the same for every run over the same tree.
type uses struct {
	// touched are the declarations of each changed file, by path.
	touched map[string][]string
	// found are the uses of each name, nearest first.
	found map[string][]use
	text  func(path string) []byte
}

// findUses searches the head's tree for the declarations that the files touch.
func findUses(files []*diff.File, tracked []string, text func(string) []byte) *uses {
	u := &uses{touched: map[string][]string{}, found: map[string][]use{}, text: text}
	kinds, changed := map[string]bool{}, map[string]bool{}
	wanted := map[string]bool{}
	for _, f := range files {
		p := f.Path()
		changed[p] = true
		for _, name := range touchedNames(f, text(p)) {
			u.touched[p] = append(u.touched[p], name)
			wanted[name] = true
			kinds[path.Ext(p)] = true
		}
	}
	if len(wanted) == 0 {
		return u
	}
	read := 0
	for _, p := range nearest(tracked, files, kinds) {
		if changed[p] {
			continue
		}
		b := text(p)
		if read += len(b); read > usesBytes {
			break
		}
		u.scan(p, b, wanted)
	}
	return u
}

// touchedNames are the names of declarations whose lines the change touches,
// without what qualifies them.
func touchedNames(f *diff.File, text []byte) []string {
	if f.NewPath == "" || len(text) > maxSearchedFile {
		return nil
	}
	var names []string
	for _, s := range relocate.Symbols(f.Path(), text) {
		name := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
		if len(name) < minName || name == "main" || slices.Contains(names, name) {
			continue
		}
		if slices.ContainsFunc(f.ChangedNew(), func(r diff.Range) bool { return s.Start <= r.End && r.Start <= s.End }) {
			names = append(names, name)
		}
	}
	return names
}

// nearest orders the files of the wanted kinds by how far they are from the
// change: same folder, then the longest common path.
func nearest(tracked []string, files []*diff.File, kinds map[string]bool) []string {
	folders := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.Path()); ; dir = path.Dir(dir) {
			folders[dir] = true
			if dir == "." || dir == "/" {
				break
			}
		}
	}
	type candidate struct {
		path string
		far  int
	}
	var cs []candidate
	for _, p := range tracked {
		if !kinds[path.Ext(p)] || strings.HasPrefix(p, ".crev/") {
			continue
		}
		far := 0
		for dir := path.Dir(p); !folders[dir] && dir != "." && dir != "/"; dir = path.Dir(dir) {
			far++
		}
		cs = append(cs, candidate{p, far})
	}
	slices.SortStableFunc(cs, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.path, b.path))
	})
	var out []string
	for _, c := range cs[:min(len(cs), usesFiles)] {
		out = append(out, c.path)
	}
	return out
}

// scan notes the lines of a file that hold a wanted name as a whole word, once
// a line.
func (u *uses) scan(p string, text []byte, wanted map[string]bool) {
	if bytes.IndexByte(text, 0) >= 0 {
		return
	}
	line := 1
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			line++
			i++
		case wordByte(c):
			start := i
			for i < len(text) && wordByte(text[i]) {
				i++
			}
			if name := text[start:i]; wanted[string(name)] {
				u.add(string(name), use{p, line})
			}
		default:
			i++
		}
	}
}

func (u *uses) add(name string, at use) {
	list := u.found[name]
	if len(list) < usesPerName && (len(list) == 0 || list[len(list)-1] != at) {
		u.found[name] = append(list, at)
	}
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// of renders the uses of what a batch touches, within the room.
func (u *uses) of(b batch.Batch) string {
	var out strings.Builder
	shown := map[use]bool{}
	for _, p := range b.Paths() {
		for _, name := range u.touched[p] {
			for _, at := range u.found[name] {
				if shown[at] {
					continue
				}
				shown[at] = true
				piece := fmt.Sprintf("%s uses %s:\n%s", at.path, name, snippet(u.text(at.path), at.line))
				if out.Len()+len(piece) > usesRoom {
					return out.String()
				}
				out.WriteString(piece)
			}
		}
	}
	return out.String()
}

// snippet renders the lines around one, numbered.
func snippet(text []byte, line int) string {
	lines := splitLines(text)
	var b strings.Builder
	for n := max(1, line-usesAround); n <= min(len(lines), line+usesAround); n++ {
		fmt.Fprintf(&b, "%5d  %s\n", n, clipLine(lines[n-1]))
	}
	return b.String()
}
