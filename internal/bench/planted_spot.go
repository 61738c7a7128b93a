package bench

import (
	"regexp"
	"slices"

	"github.com/crev-ratchet/crev/internal/relocate"
)

// spotAt is a line that a mutation fits, and what a reviewer would call it by.
type spotAt struct {
	plantedEdit
	function, code string
}

// spotsOf lists where a mutation fits inside the functions of a file.
func spotsOf(path string, text sheet, m *mutation) []spotAt {
	lines := text.texts()
	said := prose(lines)
	var out []spotAt
	for _, f := range functionsOf(path, text) {
		for i := f.Start; i < f.End; i++ { // the body: neither first nor last line
			e, ok := m.plant(lines, i)
			if !ok || e.to > f.End || said[i] {
				continue
			}
			at := i
			if len(e.lines) == 0 {
				at = i - 1
			}
			if at < f.Start-1 || weight(lines[at]) < 6 {
				continue
			}
			if code := codeOf(lines[at]); code != "" {
				out = append(out, spotAt{e, shortName(f.Name), code})
			}
		}
	}
	return out
}

// functionsOf lists the functions of a size to plant in that hold no other one.
func functionsOf(path string, text sheet) []relocate.Symbol {
	var out []relocate.Symbol
	all := relocate.Symbols(path, text.bytes())
	for i, f := range all {
		inner := slices.ContainsFunc(all[i+1:], func(g relocate.Symbol) bool { return g.Start <= f.End })
		if size := f.End - f.Start + 1; f.Kind == "func" && !inner && minFunction <= size && size <= maxFunction {
			out = append(out, f)
		}
	}
	return out
}

// apart takes n spots that leave room between each other.
func apart(spots []spotAt, n int) []spotAt {
	const room = 3
	var out []spotAt
	for _, s := range spots {
		near := slices.ContainsFunc(out, func(o spotAt) bool { return s.from < o.to+room && o.from < s.to+room })
		if !near && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

var word = regexp.MustCompile(`[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*`)

var keywords = regexp.MustCompile(`^(?:return|func|function|const|final|static|public|private|protected|break|continue|raise|throw|import|assert|lambda|while|range|string|error|true|false|True|False|None|null|else|elif|self|this|await|async)$`)

// codeOf is the longest name in a line.
func codeOf(line string) string {
	best := ""
	for _, w := range word.FindAllString(line, -1) {
		if len(w) > len(best) && !keywords.MatchString(w) {
			best = w
		}
	}
	if len(best) < 3 {
		return ""
	}
	return best[:min(len(best), 60)]
}

// shortName is the last part of a qualified name.
func shortName(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return name
}
