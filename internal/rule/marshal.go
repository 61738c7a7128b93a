package rule

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Marshal writes a record as Parse reads it: the same record is always the same
// bytes. It refuses one that Parse would refuse. Comments that people put into a
// file are not part of the record.
func (r Rule) Marshal() ([]byte, error) {
	r = r.Clone()
	r.normalize()
	if _, err := r.check(); err != nil {
		return nil, fmt.Errorf("write rule %s: %w", r.ID, err)
	}
	// The library cannot read every block that it writes, so the texts of many
	// lines are put in afterwards.
	texts := map[string]string{"why": r.Why, "breaks": r.Breaks, "follows": r.Follows}
	for _, field := range []*string{&r.Why, &r.Breaks, &r.Follows} {
		if *field != "" {
			*field = "text"
		}
	}
	var doc yaml.Node
	if err := doc.Encode(r); err != nil {
		return nil, fmt.Errorf("write rule %s: %w", r.ID, err)
	}
	for i := 0; i+1 < len(doc.Content); i += 2 {
		if text, ok := texts[doc.Content[i].Value]; ok {
			*doc.Content[i+1] = textNode(text)
		}
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, fmt.Errorf("write rule %s: %w", r.ID, err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("write rule %s: %w", r.ID, err)
	}
	if b.Len() > maxRecord {
		return nil, fmt.Errorf("write rule %s: it is larger than %d KiB; shorten why or the examples", r.ID, maxRecord>>10)
	}
	return b.Bytes(), nil
}

// textNode returns a text as a node: a block, or in quotes where its first line
// begins with a blank or is empty, which no block keeps.
func textNode(text string) yaml.Node {
	n := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.Contains(text, "\n") && strings.ContainsAny(text[:1], " \t\n") {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// Path returns where the record is kept, from the repository's root.
func (r Rule) Path() string { return Folder + "/" + r.ID + fileEnding }
