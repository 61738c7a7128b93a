package expertise

import (
	"bytes"
	"strings"
)

// mailmap says who an address of a commit really is, as the repository's
// .mailmap does. Names and addresses are matched without regard to case.
type mailmap struct {
	// byEmail is for an address alone, byBoth for an address with a name.
	byEmail map[string]ident
	byBoth  map[ident]ident
}

// parseMailmap reads a .mailmap as git does. A line that is none is skipped.
func parseMailmap(text []byte) mailmap {
	m := mailmap{byEmail: map[string]ident{}, byBoth: map[ident]ident{}}
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte("#")) {
			m.add(string(line))
		}
	}
	return m
}

// add adds one line: a name and an address once or twice, first the right
// ones, then those of the commit.
func (m mailmap) add(line string) {
	name, email, rest, ok := cutPerson(line)
	if !ok {
		return
	}
	oldName, oldEmail, _, two := cutPerson(rest)
	right := ident{name: name, email: email}
	if !two {
		oldName, oldEmail, right.email = "", email, ""
	}
	if oldName == "" {
		// A later line adds to what an earlier one said.
		key := strings.ToLower(oldEmail)
		m.byEmail[key] = overlay(m.byEmail[key], right)
		return
	}
	key := ident{name: strings.ToLower(oldName), email: strings.ToLower(oldEmail)}
	m.byBoth[key] = overlay(m.byBoth[key], right)
}

// overlay returns old with what right knows.
func overlay(old, right ident) ident {
	if right.name != "" {
		old.name = right.name
	}
	if right.email != "" {
		old.email = right.email
	}
	return old
}

// cutPerson cuts "Name <email>" off a line.
func cutPerson(line string) (name, email, rest string, ok bool) {
	name, line, ok = strings.Cut(line, "<")
	if !ok {
		return "", "", "", false
	}
	email, rest, ok = strings.Cut(line, ">")
	return strings.TrimSpace(name), strings.TrimSpace(email), rest, ok
}

// apply returns who a person of a commit is.
func (m mailmap) apply(who ident) ident {
	email := strings.ToLower(who.email)
	right, ok := m.byBoth[ident{name: strings.ToLower(who.name), email: email}]
	if !ok {
		right = m.byEmail[email]
	}
	return overlay(who, right)
}
