package diff

import (
	"fmt"
	"strconv"
	"strings"
)

// section is what one "diff --git" block of a patch says.
type section struct {
	oldMode, newMode string // as printed, "" when the mode did not change
	oldID, newID     string // "" for no file, or when there is no index line
	indexed          bool
	created, deleted bool
	binary           bool
	hunks            []Hunk
}

// begins reports whether s is the patch of f, or its first part when f splits.
func (s *section) begins(f *File) bool {
	if f.splits() {
		return s.deleted && s.oldID == f.OldBlob
	}
	if s.created != (f.OldMode == "") || s.deleted != (f.NewMode == "") {
		return false
	}
	if !s.created && !s.deleted {
		if (s.oldMode != "") != (f.OldMode != f.NewMode) ||
			s.oldMode != "" && (s.oldMode != f.OldMode || s.newMode != f.NewMode) {
			return false
		}
	}
	if !s.indexed {
		return f.OldBlob == f.NewBlob
	}
	return s.oldID == f.OldBlob && s.newID == f.NewBlob
}

// fill puts what s says into f.
func (s *section) fill(f *File) {
	if s.binary && f.Kind == Text {
		f.Kind = Binary
	}
	f.Hunks = append(f.Hunks, s.hunks...)
}

// parser reads a patch line by line. Lines end in "\n" only: a "\r" belongs to
// the text of its line.
type parser struct {
	text string
	pos  int
}

func (p *parser) done() bool { return p.pos >= len(p.text) }

// rest returns what is not yet read.
func (p *parser) rest() string { return p.text[p.pos:] }

// line reads one line without its "\n".
func (p *parser) line() string {
	rest := p.rest()
	i := strings.IndexByte(rest, '\n')
	if i < 0 {
		p.pos = len(p.text)
		return rest
	}
	p.pos += i + 1
	return rest[:i]
}

func (p *parser) errorf(format string, args ...any) error {
	n := strings.Count(p.text[:p.pos], "\n") + 1
	return fmt.Errorf("diff: patch line %d: %s", n, fmt.Sprintf(format, args...))
}

// section reads one "diff --git" block.
func (p *parser) section() (*section, error) {
	if !strings.HasPrefix(p.rest(), "diff --git ") {
		return nil, p.errorf("want %q", "diff --git")
	}
	p.line()
	s := &section{}
	for !p.done() {
		if strings.HasPrefix(p.rest(), "diff --git ") {
			return s, nil
		}
		if strings.HasPrefix(p.rest(), "@@ ") {
			var err error
			s.hunks, err = p.hunks(s.hunks)
			return s, err
		}
		if err := s.header(p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// header reads one line between "diff --git" and the first hunk.
func (s *section) header(p *parser) error {
	at := *p
	line := p.line()
	value := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	if v, ok := value("old mode "); ok {
		s.oldMode = v
		return nil
	}
	if v, ok := value("new mode "); ok {
		s.newMode = v
		return nil
	}
	if v, ok := value("new file mode "); ok {
		s.newMode, s.created = v, true
		return nil
	}
	if v, ok := value("deleted file mode "); ok {
		s.oldMode, s.deleted = v, true
		return nil
	}
	if v, ok := value("index "); ok {
		ids, _, _ := strings.Cut(v, " ")
		a, b, ok := strings.Cut(ids, "..")
		if !ok || !isObjectID(a) || !isObjectID(b) {
			return at.errorf("want two full object ids in %.200q", line)
		}
		s.oldID, s.newID, s.indexed = present(a), present(b), true
		return nil
	}
	for _, prefix := range []string{"similarity index ", "dissimilarity index ",
		"rename from ", "rename to ", "copy from ", "copy to ", "--- ", "+++ "} {
		if strings.HasPrefix(line, prefix) {
			return nil
		}
	}
	if strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ") {
		s.binary = true
		return nil
	}
	return at.errorf("unknown header %.200q", line)
}

// hunks appends the hunks that follow to list.
func (p *parser) hunks(list []Hunk) ([]Hunk, error) {
	for strings.HasPrefix(p.rest(), "@@ ") {
		h, err := p.hunk()
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// hunk reads one hunk. Its header says how many lines it has; what the lines
// look like ("-- x", "++ b/x", "@@ x") never ends it.
func (p *parser) hunk() (Hunk, error) {
	at := *p
	h, err := parseHunkHeader(p.line())
	if err != nil {
		return Hunk{}, at.errorf("%v", err)
	}
	oldLeft, newLeft := h.OldLines, h.NewLines
	oldAt, newAt := h.OldStart, h.NewStart
	h.Lines = make([]Line, 0, min(max(oldLeft, newLeft), len(p.rest())/2+1))
	for oldLeft > 0 || newLeft > 0 || strings.HasPrefix(p.rest(), "\\") {
		if p.done() {
			return Hunk{}, p.errorf("patch ends inside a hunk, %d old and %d new lines are missing", oldLeft, newLeft)
		}
		at := *p
		text := p.line()
		op := Context
		// With diff.suppressBlankEmpty an empty context line has no blank.
		if text != "" {
			op, text = Op(text[0]), text[1:]
		}
		l := Line{Op: op, Text: text, Old: oldAt, New: newAt}
		switch op {
		case Context:
			oldLeft, newLeft, oldAt, newAt = oldLeft-1, newLeft-1, oldAt+1, newAt+1
		case Remove:
			oldLeft, oldAt, l.New = oldLeft-1, oldAt+1, 0
		case Add:
			newLeft, newAt, l.Old = newLeft-1, newAt+1, 0
		case '\\':
			if len(h.Lines) == 0 {
				return Hunk{}, at.errorf("%.80q has no line before it", "\\"+text)
			}
			h.Lines[len(h.Lines)-1].NoEOL = true
			continue
		default:
			return Hunk{}, at.errorf("a hunk line begins with %q", byte(op))
		}
		if oldLeft < 0 || newLeft < 0 {
			return Hunk{}, at.errorf("the hunk has more lines than its header says")
		}
		h.Lines = append(h.Lines, l)
	}
	return h, nil
}

// parseHunkHeader reads "@@ -1,2 +3,4 @@ section"; a count that is left out is 1.
func parseHunkHeader(line string) (Hunk, error) {
	bad := fmt.Errorf("want a hunk header like %q, have %.200q", "@@ -1,2 +3,4 @@", line)
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return Hunk{}, bad
	}
	ranges, section, ok := strings.Cut(rest, " @@")
	if !ok {
		return Hunk{}, bad
	}
	a, b, ok := strings.Cut(ranges, " +")
	if !ok {
		return Hunk{}, bad
	}
	var h Hunk
	if h.OldStart, h.OldLines, ok = parseRange(a); !ok {
		return Hunk{}, bad
	}
	if h.NewStart, h.NewLines, ok = parseRange(b); !ok {
		return Hunk{}, bad
	}
	h.Section = strings.TrimPrefix(section, " ")
	return h, nil
}

// parseRange reads "start" or "start,count". Only an empty range may start at
// line 0.
func parseRange(s string) (start, count int, ok bool) {
	a, b, counted := strings.Cut(s, ",")
	if !counted {
		b = "1"
	}
	// 31 bits leave room to add the two on every platform.
	x, err := strconv.ParseUint(a, 10, 30)
	if err != nil {
		return 0, 0, false
	}
	y, err := strconv.ParseUint(b, 10, 30)
	if err != nil || x == 0 && y != 0 {
		return 0, 0, false
	}
	return int(x), int(y), true
}
