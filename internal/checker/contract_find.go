package checker

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/diff"
)

// Contract is a file of the repository that describes an interface.
type Contract struct {
	Path string
	// Format is "openapi", "json-schema" or "proto".
	Format string
	// Elements are what it describes, in order of line.
	Elements []Element
}

// Element is one thing a contract describes.
type Element struct {
	// Kind is "path", "operation", "message" or "file".
	Kind, Name string
	diff.Range
}

// Limits of the search for contracts: reading every JSON file of a large
// repository would cost more than the check is worth.
const (
	// maxContract is the most bytes of a contract that is read.
	maxContract = 1 << 20
	// maxContractLine is the longest line in bytes; a longer one is minified,
	// and its lines say nothing.
	maxContractLine = 5_000
	// maxContracts is how many files are opened to see what they are.
	maxContracts = 200
)

// contractName matches paths that people give to contracts.
var contractName = regexp.MustCompile(`(?i)(?:^|[/._-])(?:open-?api|swagger|api|apis|spec|schemas?|contracts?|proto)(?:[/._-]|$)`)

// FindContracts looks for contracts among the paths of a tree: Protocol Buffers
// by their name, OpenAPI (Swagger too) and JSON Schema by name or place and then
// by content. Changed paths are looked at whatever their name. The order is that
// of the paths.
func FindContracts(paths []string, c Change) []Contract {
	var found []Contract
	opened := 0
	for _, p := range paths {
		ext := strings.ToLower(path.Ext(p))
		changed := c.file(p) != nil
		switch ext {
		case ".proto":
		case ".yaml", ".yml", ".json":
			if !changed && !contractName.MatchString(p) {
				continue
			}
		default:
			continue
		}
		if strings.HasPrefix(p, ".crev/") || opened == maxContracts && !changed {
			continue
		}
		opened++
		if k, ok := ReadContract(p, c.Text(p)); ok {
			found = append(found, k)
		}
	}
	return found
}

// ReadContract says what a file describes; ok is false for a file that is no
// contract, that does not parse, or that is too large.
func ReadContract(p string, text []byte) (k Contract, ok bool) {
	if len(text) == 0 || len(text) > maxContract || slices.ContainsFunc(linesOf(text), func(l string) bool { return len(l) > maxContractLine }) {
		return Contract{}, false
	}
	k.Path = p
	if strings.EqualFold(path.Ext(p), ".proto") {
		k.Format, k.Elements = "proto", protoElements(linesOf(text))
		return k, len(k.Elements) > 0
	}
	// JSON is read as YAML: only YAML nodes know their lines. Aliases are not
	// followed, so there is nothing to blow up.
	var doc yaml.Node
	if err := yaml.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &doc); err != nil || len(doc.Content) == 0 {
		return Contract{}, false
	}
	root := mapping{node: doc.Content[0], end: len(linesOf(text))}
	switch {
	case root.value("openapi") != "" || root.value("swagger") != "":
		k.Format, k.Elements = "openapi", openAPIElements(root)
	case strings.Contains(root.value("$schema"), "json-schema.org"):
		k.Format, k.Elements = "json-schema", schemaElements(p, root)
	default:
		return Contract{}, false
	}
	slices.SortStableFunc(k.Elements, func(a, b Element) int { return a.Start - b.Start })
	return k, len(k.Elements) > 0
}

// mapping is a YAML mapping and the last line it may reach.
type mapping struct {
	node *yaml.Node
	end  int
}

// entry is a key of a mapping with the lines of the key and its value.
type entry struct {
	key string
	mapping
	diff.Range
}

func (m mapping) entries() []entry {
	if m.node == nil || m.node.Kind != yaml.MappingNode {
		return nil
	}
	var out []entry
	for i := 0; i+1 < len(m.node.Content); i += 2 {
		end := m.end
		if i+2 < len(m.node.Content) {
			end = max(m.node.Content[i].Line, m.node.Content[i+2].Line-1)
		}
		key := m.node.Content[i]
		out = append(out, entry{key.Value, mapping{m.node.Content[i+1], end}, diff.Range{Start: key.Line, End: end}})
	}
	return out
}

// at returns the mapping under a key, an empty one when there is none.
func (m mapping) at(key string) mapping {
	for _, e := range m.entries() {
		if e.key == key {
			return e.mapping
		}
	}
	return mapping{}
}

// value returns the scalar under a key, "" when there is none.
func (m mapping) value(key string) string {
	n := m.at(key).node
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// openAPIElements lists paths, operations and schemas of OpenAPI 2 and 3.
func openAPIElements(root mapping) []Element {
	var out []Element
	for _, p := range root.at("paths").entries() {
		out = append(out, Element{"path", p.key, p.Range})
		for _, method := range p.entries() {
			if id := method.value("operationId"); id != "" {
				out = append(out, Element{"operation", id, method.Range})
			}
		}
	}
	for _, schemas := range []mapping{root.at("components").at("schemas"), root.at("definitions")} {
		out = append(out, messages(schemas)...)
	}
	return out
}

func messages(m mapping) []Element {
	var out []Element
	for _, s := range m.entries() {
		out = append(out, Element{"message", s.key, s.Range})
	}
	return out
}

// schemaElements lists a JSON Schema by its file name and title, and its
// definitions.
func schemaElements(p string, root mapping) []Element {
	whole := diff.Range{Start: 1, End: root.end}
	out := []Element{{"file", path.Base(p), whole}}
	if title := root.value("title"); title != "" {
		out = append(out, Element{"message", title, whole})
	}
	return append(out, slices.Concat(messages(root.at("$defs")), messages(root.at("definitions")))...)
}

// protoBlock matches the head of a block of Protocol Buffers that has a name.
var protoBlock = regexp.MustCompile(`^\s*(message|enum|service|rpc)\s+([A-Za-z_]\w*)`)

// protoElements lists messages, enums, services and calls. A block ends where its
// braces close; comments are skipped.
func protoElements(lines []string) []Element {
	type opened struct{ element, depth int }
	var out []Element
	var stack []opened
	depth := 0
	comment := false
	for i, l := range lines {
		l = protoCode(l, &comment)
		if m := protoBlock.FindStringSubmatch(l); m != nil {
			kind := "message"
			if m[1] == "rpc" || m[1] == "service" {
				kind = "operation"
			}
			out = append(out, Element{kind, m[2], diff.Range{Start: i + 1, End: i + 1}})
			if strings.Contains(l, "{") || !strings.Contains(l, ";") {
				stack = append(stack, opened{len(out) - 1, depth})
			}
		}
		depth += strings.Count(l, "{") - strings.Count(l, "}")
		for len(stack) > 0 && (strings.Contains(l, "}") || strings.Contains(l, ";")) && depth <= stack[len(stack)-1].depth {
			out[stack[len(stack)-1].element].End = i + 1
			stack = stack[:len(stack)-1]
		}
	}
	return out
}

// protoCode takes comments out of a line; inside says whether a block comment is
// open.
func protoCode(l string, inside *bool) string {
	var b strings.Builder
	for l != "" {
		if *inside {
			_, after, found := strings.Cut(l, "*/")
			*inside, l = !found, after
			continue
		}
		block, line := strings.Index(l, "/*"), strings.Index(l, "//")
		switch {
		case line >= 0 && (block < 0 || line < block):
			b.WriteString(l[:line])
			return b.String()
		case block >= 0:
			b.WriteString(l[:block])
			*inside, l = true, l[block+2:]
		default:
			b.WriteString(l)
			return b.String()
		}
	}
	return b.String()
}
