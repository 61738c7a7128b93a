package bench

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// plantedEdit is one small change that makes code wrong: lines [from,to) become
// lines. The defect's place is line from of the result, or, when lines are only
// taken out, the line before them.
type plantedEdit struct {
	from, to int
	lines    []string
}

// mutation makes one kind of defect by the look of lines alone, in any language
// with braces or indentation.
type mutation struct {
	name     string
	category string
	// plant looks at line i and reports false when it does not fit.
	plant func(lines []string, i int) (plantedEdit, bool)
	// claims are ways to say what is wrong; {func} and {code} are filled in.
	claims []string
}

var mutations = []mutation{
	{"dropped check", "error-handling", dropCheck, []string{
		"{func} goes on without looking whether {code} failed.",
		"The result of {code} is used although it may be an error.",
		"There is no check after {code}, so a failure passes unnoticed.",
		"A failing {code} is silently ignored in {func}.",
		"Missing guard: {func} has to stop when {code} does not succeed.",
	}},
	{"swapped comparison", "correctness", swapComparison, []string{
		"The comparison of {code} in {func} is the wrong way round.",
		"{func} takes the branch for {code} in exactly the opposite cases.",
		"The condition on {code} is inverted.",
		"Wrong operator: {code} is compared the other way than intended.",
		"The test of {code} lets through what it ought to keep out.",
	}},
	{"off by one", "correctness", offByOne, []string{
		"{func} is off by one at {code}.",
		"The bound of {code} is one too far.",
		"{code} reads one element past the range, or skips the first.",
		"An index error: the limit used with {code} in {func} misses by one.",
		"The loop or index around {code} does not cover the right elements.",
	}},
	{"missing argument", "correctness", dropArgument, []string{
		"{code} is called without its last argument.",
		"{func} no longer passes everything that {code} needs.",
		"An argument of {code} is missing, so a default takes its place.",
		"The call of {code} in {func} has one parameter too few.",
		"Incomplete call: {code} does not get the value it got before.",
	}},
	{"missing filter", "correctness", dropFilter, []string{
		"{func} lacks the second condition on {code}.",
		"The filter on {code} is too wide: one restriction is gone.",
		"Entries that should be left out pass the test of {code}.",
		"Half of the condition around {code} is missing in {func}.",
		"{code} is accepted without the other check.",
	}},
	{"missing release", "resource-leak", dropRelease, []string{
		"{func} never releases what {code} acquires.",
		"What is opened at {code} stays open on return.",
		"A handle or lock leaks: nothing closes {code}.",
		"There is no matching close or unlock after {code}.",
		"{code} is not given back when {func} ends.",
	}},
}

// plant marks the defect of an edit in a sheet; the line before a pure removal
// has to say something, for it is where a reviewer would point.
func (e plantedEdit) plant(s sheet, site int) (sheet, bool) {
	if len(e.lines) > 0 {
		lines := make([]markedLine, len(e.lines))
		for i, l := range e.lines {
			lines[i] = markedLine{text: l}
		}
		lines[0].site = site
		return s.splice(e.from, e.to, lines...), true
	}
	if e.from == 0 || weight(s[e.from-1].text) < 6 || s[e.from-1].site != 0 {
		return nil, false
	}
	out := s.splice(e.from, e.to)
	out[e.from-1].site = site
	return out, true
}

// replaceOne is the edit that rewrites line i by the first match of an
// expression.
func replaceOne(lines []string, i int, expr *regexp.Regexp, with func(string) string) (plantedEdit, bool) {
	at := expr.FindStringIndex(strings.TrimRight(lines[i], "\r\n"))
	if at == nil || comment(lines[i]) {
		return plantedEdit{}, false
	}
	was := lines[i][at[0]:at[1]]
	is := with(was)
	if is == was {
		return plantedEdit{}, false
	}
	return plantedEdit{i, i + 1, []string{lines[i][:at[0]] + is + lines[i][at[1]:]}}, true
}

var (
	comparison = regexp.MustCompile(` (?:<=|>=|==|!=|===|!==|<|>) `)
	swapped    = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
)

func swapComparison(lines []string, i int) (plantedEdit, bool) {
	return replaceOne(lines, i, comparison, func(op string) string { return " " + swapped[strings.TrimSpace(op)] + " " })
}

var bound = regexp.MustCompile(`\[0\]| [+-] 1\b| < len\(|\brange\(1, | = 0; | < \w+(?:\.length|\.size\(\)|\.Length)|\[1:\]|\[:-1\]`)

func offByOne(lines []string, i int) (plantedEdit, bool) {
	return replaceOne(lines, i, bound, func(s string) string {
		switch {
		case s == "[0]":
			return "[1]"
		case s == " + 1" || s == " - 1":
			return s[:3] + "2"
		case s == "range(1, ":
			return "range(0, "
		case s == " = 0; ":
			return " = 1; "
		case s == "[1:]":
			return "[2:]"
		case s == "[:-1]":
			return "[:-2]"
		}
		return strings.Replace(s, "<", "<=", 1)
	})
}

var (
	lastArgument = regexp.MustCompile(`\w\([^()]+, [^(),]+\)`)
	filter       = regexp.MustCompile(` (?:&&|and) [^&|(){}:]*[^&|(){}: ]`)
	condition    = regexp.MustCompile(`^\s*(?:\} )?(?:if|elif|else if|while|for|return|assert)\b| = |&&`)
	declares     = regexp.MustCompile(`^\s*(?:func|def|async|function|fn|public|private|protected|static|class|import|from|export|interface|type|package|@|#)\b|^\s*[@#]`)
)

func dropArgument(lines []string, i int) (plantedEdit, bool) {
	if declares.MatchString(lines[i]) {
		return plantedEdit{}, false
	}
	return replaceOne(lines, i, lastArgument, func(s string) string { return s[:strings.LastIndex(s, ", ")] + ")" })
}

func dropFilter(lines []string, i int) (plantedEdit, bool) {
	if !condition.MatchString(lines[i]) {
		return plantedEdit{}, false
	}
	return replaceOne(lines, i, filter, func(string) string { return "" })
}

var release = regexp.MustCompile(`^\s*(?:defer |await )?[\w.>-]+(?:\.|->)(?:Close|close|Unlock|unlock|RUnlock|Release|release|dispose|Done|pop|free|shutdown)\(\);?\s*$`)

func dropRelease(lines []string, i int) (plantedEdit, bool) {
	if !release.MatchString(lines[i]) {
		return plantedEdit{}, false
	}
	return plantedEdit{from: i, to: i + 1}, true
}

var (
	guardLine = regexp.MustCompile(`^\s*if\b.*(?:err|nil|null|None|undefined|not |!|is_).*[{:]\s*$`)
	leaves    = regexp.MustCompile(`^\s*(?:return|raise|throw|continue|break|panic|abort)\b`)
)

// dropCheck takes out a guard: an if whose short body ends by leaving.
func dropCheck(lines []string, i int) (plantedEdit, bool) {
	if !guardLine.MatchString(lines[i]) {
		return plantedEdit{}, false
	}
	indent := indentOf(lines[i])
	braced := strings.HasSuffix(strings.TrimSpace(lines[i]), "{")
	for n := i + 1; n < len(lines) && n <= i+3; n++ {
		if !leaves.MatchString(lines[n]) || indentOf(lines[n]) <= indent {
			continue
		}
		end := n + 1
		if braced {
			if end == len(lines) || strings.TrimSpace(lines[end]) != "}" {
				return plantedEdit{}, false
			}
			end++
		} else if end < len(lines) && (indentOf(lines[end]) > indent || continues(lines[end])) {
			return plantedEdit{}, false
		}
		return plantedEdit{from: i, to: end}, true
	}
	return plantedEdit{}, false
}

// continues reports whether a line belongs to the if before it.
func continues(line string) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "else") || strings.HasPrefix(strings.TrimSpace(line), "elif")
}

func comment(line string) bool {
	t := strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"//", "#", "*", "/*", `"""`, "--"}, func(p string) bool { return strings.HasPrefix(t, p) })
}

// prose reports for each line whether it stands in a text over several lines, as
// Python's documentation does.
func prose(lines []string) []bool {
	out := make([]bool, len(lines))
	open := ""
	for i, l := range lines {
		out[i] = open != ""
		for rest := l; ; {
			if open == "" {
				at := strings.IndexAny(rest, `"'`)
				if at < 0 {
					break
				}
				if rest = rest[at:]; !strings.HasPrefix(rest, `"""`) && !strings.HasPrefix(rest, "'''") {
					rest = rest[1:]
					continue
				}
				open, rest = rest[:3], rest[3:]
				out[i] = true
			}
			_, after, closed := strings.Cut(rest, open)
			if !closed {
				break
			}
			open, rest = "", after
		}
	}
	return out
}

// indentOf is the width of the blanks before a line, a large number for a blank
// line, which stands at no depth.
func indentOf(line string) int {
	if strings.TrimSpace(line) == "" {
		return 1 << 20
	}
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// weight counts the letters and digits of a line.
func weight(line string) int {
	n := 0
	for _, r := range line {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			n++
		}
	}
	return n
}

// plantable are the endings of the files that mutations know, and unwanted what
// is no code of the project itself.
var (
	plantable = []string{".go", ".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rs", ".php"}
	unwanted  = regexp.MustCompile(`(?i)(?:^|/)(?:vendor|node_modules|testdata|tests?|spec|docs?|dist|third_party)/|(?:_test|\.test|\.spec|\.min|\.pb|\.gen)\.\w+$|(?:^|/)test_`)
)

func isPlantable(file string) bool {
	return slices.Contains(plantable, path.Ext(file)) && !unwanted.MatchString(file)
}
