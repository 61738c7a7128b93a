package diff

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads what `git diff-tree -r --raw -z -p --full-index` prints: the raw
// records, one NUL, and the patch of the same files in the same order.
//
// Names, modes and blobs come from the raw records, which hold names as they
// are; the patch quotes them and is matched by its order, object ids and modes
// alone. A file whose changes were all ignored (git's -w) has a record and no
// patch and is returned without hunks. Any other mismatch is an error, so a
// truncated diff is never taken for a small one.
//
// The lines of the result share memory with one copy of out.
func Parse(out []byte) ([]File, error) {
	files, patch, err := parseRaw(string(out))
	if err != nil {
		return nil, err
	}
	p := &parser{text: patch}
	next := 0
	for !p.done() {
		first, err := p.section()
		if err != nil {
			return nil, err
		}
		for next < len(files) && !first.begins(&files[next]) {
			if !mayBeUnshown(&files[next]) {
				return nil, fmt.Errorf("diff: no patch for %q", files[next].Path())
			}
			next++
		}
		if next == len(files) {
			return nil, p.errorf("patch belongs to no changed file")
		}
		f := &files[next]
		next++
		first.fill(f)
		if f.splits() {
			second, err := p.section()
			if err != nil {
				return nil, err
			}
			if !second.created || second.newID != f.NewBlob {
				return nil, fmt.Errorf("diff: no patch for the new type of %q", f.Path())
			}
			second.fill(f)
		}
		f.EOLOnly = eolOnly(f)
	}
	for ; next < len(files); next++ {
		if !mayBeUnshown(&files[next]) {
			return nil, fmt.Errorf("diff: no patch for %q", files[next].Path())
		}
	}
	return files, nil
}

// parseRaw reads the raw records at the start of text and returns the rest.
func parseRaw(text string) (files []File, rest string, err error) {
	field := func() (string, bool) {
		f, after, ok := strings.Cut(text, "\x00")
		text = after
		return f, ok
	}
	for strings.HasPrefix(text, ":") {
		head, ok := field()
		if !ok {
			return nil, "", fmt.Errorf("diff: raw record %.80q is cut off", head)
		}
		f, err := parseRecord(head)
		if err != nil {
			return nil, "", err
		}
		path, ok := field()
		to := path
		if ok && (f.Status == Renamed || f.Status == Copied) {
			to, ok = field()
		}
		if !ok || path == "" || to == "" {
			return nil, "", fmt.Errorf("diff: raw record %.200q has no path", head)
		}
		f.OldPath, f.NewPath = path, to
		switch f.Status {
		case Added:
			f.OldPath = ""
		case Deleted:
			f.NewPath = ""
		}
		files = append(files, f)
	}
	return files, strings.TrimPrefix(text, "\x00"), nil
}

// parseRecord reads ":oldmode newmode oldid newid status".
func parseRecord(head string) (File, error) {
	bad := func() (File, error) {
		return File{}, fmt.Errorf("diff: raw record %.200q: want two modes, two ids and a status", head)
	}
	v := strings.Split(strings.TrimPrefix(head, ":"), " ")
	if len(v) != 5 || v[4] == "" || !isMode(v[0]) || !isMode(v[1]) ||
		!isObjectID(v[2]) || !isObjectID(v[3]) {
		return bad()
	}
	f := File{
		OldMode: present(v[0]), NewMode: present(v[1]),
		OldBlob: present(v[2]), NewBlob: present(v[3]),
	}
	switch v[4][0] {
	case 'A':
		f.Status = Added
	case 'M':
		f.Status = Modified
	case 'D':
		f.Status = Deleted
	case 'R':
		f.Status = Renamed
	case 'C':
		f.Status = Copied
	case 'T':
		f.Status = TypeChanged
	default:
		return bad()
	}
	if (f.OldMode == "") != (f.Status == Added) || (f.NewMode == "") != (f.Status == Deleted) {
		return bad()
	}
	if score := v[4][1:]; score != "" {
		n, err := strconv.ParseUint(score, 10, 8)
		if err != nil || n > 100 {
			return bad()
		}
		if f.Status == Renamed || f.Status == Copied {
			f.Similarity = int(n)
		}
	}
	f.Kind = kindOf(f.OldMode, f.NewMode)
	return f, nil
}

// kindOf decides by mode; the patch turns Text into Binary later.
func kindOf(oldMode, newMode string) Kind {
	mode := newMode
	if mode == "" {
		mode = oldMode
	}
	switch mode {
	case "160000":
		return Submodule
	case "120000":
		return Symlink
	}
	return Text
}

// present turns git's all-zero placeholder for "no file" into "".
func present(s string) string {
	if strings.Trim(s, "0") == "" {
		return ""
	}
	return s
}

func isMode(s string) bool {
	return len(s) == 6 && strings.Trim(s, "01234567") == ""
}

// isObjectID accepts the two lengths of full ids, SHA-1 and SHA-256.
func isObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// splits reports whether git shows f as a removal and a creation because its
// type changed, say from a file to a symbolic link.
func (f *File) splits() bool {
	return f.OldMode != "" && f.NewMode != "" && f.OldMode[:2] != f.NewMode[:2]
}

// mayBeUnshown reports whether git may have left f out of the patch because
// all its changes were ignored.
func mayBeUnshown(f *File) bool {
	return f.Status == Modified && f.OldMode == f.NewMode && f.OldBlob != f.NewBlob
}

// eolOnly reports whether the hunks of f change nothing but line ends.
func eolOnly(f *File) bool {
	if f.Kind != Text || len(f.Hunks) == 0 || f.Status == Added || f.Status == Deleted {
		return false
	}
	for i := range f.Hunks {
		if !f.Hunks[i].eolOnly() {
			return false
		}
	}
	return true
}

func (h *Hunk) eolOnly() bool {
	if h.OldLines != h.NewLines {
		return false
	}
	oldAt, newAt := 0, 0
	for range h.OldLines {
		for h.Lines[oldAt].Op == Add {
			oldAt++
		}
		for h.Lines[newAt].Op == Remove {
			newAt++
		}
		a, b := h.Lines[oldAt].Text, h.Lines[newAt].Text
		if strings.TrimSuffix(a, "\r") != strings.TrimSuffix(b, "\r") {
			return false
		}
		oldAt++
		newAt++
	}
	return true
}
