package model

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Reasons for which a text holds no reply. Each reads as a sentence that a model
// can act on.
var (
	ErrEmpty    = errors.New("the reply is empty")
	ErrNull     = errors.New("the reply is null, not a JSON object")
	ErrList     = errors.New("the reply is a JSON list, not an object")
	ErrCut      = errors.New("the reply ends in the middle of a JSON object")
	ErrNoObject = errors.New("the reply holds no JSON object")
)

const (
	openThink, closeThink = "<think>", "</think>"

	// deepest bounds nesting: what crev asks for is five levels deep.
	deepest = 100
	// effort bounds how often a hostile text is read over, as a multiple of
	// its length.
	effort = 16
)

// Extract returns the JSON object that a model's text holds: the last complete
// one outside think blocks that is not empty, or else an empty one. Prose and
// code fences around it, braces in that prose and raw line breaks inside of its
// strings do no harm. A list is not an object, and the objects inside of a list
// or of an object that was cut off are not the reply.
func Extract(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	switch text {
	case "":
		return nil, ErrEmpty
	case "null":
		return nil, ErrNull
	}
	var (
		last, empty json.RawMessage
		list        bool
		budget      = effort*len(text) + 1024
	)
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, openThink):
			end := strings.Index(rest, closeThink)
			if end < 0 {
				// The answer was never begun.
				return nil, ErrCut
			}
			i += end + len(closeThink)
		case strings.HasPrefix(rest, closeThink):
			// Some chat templates open the block in the prompt: all of what
			// came before is thought.
			last, empty, list = nil, nil, false
			i += len(closeThink)
		case rest[0] == '{' || startsList(rest):
			s := scanner{text: rest, budget: budget}
			err := s.value(0)
			budget = s.budget
			switch {
			case errors.Is(err, errEnd):
				return nil, ErrCut
			case err != nil && budget <= 0:
				return nil, ErrNoObject
			case err != nil:
				i++
				continue
			case rest[0] == '[':
				list = true
			case strings.TrimSpace(rest[1:s.pos-1]) == "":
				empty = s.out
			default:
				last = s.out
			}
			i += s.pos
		default:
			i++
		}
	}
	switch {
	case last != nil:
		return last, nil
	case empty != nil:
		return empty, nil
	case list:
		return nil, ErrList
	}
	return nil, ErrNoObject
}

// startsList reports whether a list of objects or an empty list begins here, and
// not the [1] of a footnote or the [x] of a checkbox.
func startsList(s string) bool {
	if s[0] != '[' {
		return false
	}
	next := strings.TrimLeft(s[1:], " \t\r\n")
	return next != "" && (next[0] == '{' || next[0] == ']')
}

var (
	errSyntax = errors.New("not JSON")
	errEnd    = errors.New("text ends inside of a JSON value")
)

// scanner reads one JSON value at the beginning of text. It is a parser of its
// own because it must tell "no JSON" from "JSON that was cut", stop at the end of
// the value, and forgive raw control characters in strings.
type scanner struct {
	text   string
	pos    int
	out    []byte // the value as strict JSON
	budget int    // bytes that may still be read
}

func (s *scanner) value(depth int) error {
	if depth > deepest {
		return errSyntax
	}
	c, err := s.peek()
	if err != nil {
		return err
	}
	switch {
	case c == '{':
		return s.group('}', depth, s.member)
	case c == '[':
		return s.group(']', depth, s.value)
	case c == '"':
		return s.str()
	}
	return s.scalar()
}

// group reads the items of an object or a list up to its closing mark.
func (s *scanner) group(closing byte, depth int, item func(int) error) error {
	s.take()
	if c, err := s.peek(); err != nil {
		return err
	} else if c == closing {
		s.take()
		return nil
	}
	for {
		if err := item(depth + 1); err != nil {
			return err
		}
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c != ',' && c != closing {
			return errSyntax
		}
		s.take()
		if c == closing {
			return nil
		}
	}
}

func (s *scanner) member(depth int) error {
	if c, err := s.peek(); err != nil {
		return err
	} else if c != '"' {
		return errSyntax
	}
	if err := s.str(); err != nil {
		return err
	}
	if c, err := s.peek(); err != nil {
		return err
	} else if c != ':' {
		return errSyntax
	}
	s.take()
	return s.value(depth)
}

func (s *scanner) str() error {
	s.take()
	for s.pos < len(s.text) {
		if s.budget--; s.budget <= 0 {
			return errSyntax
		}
		switch c := s.text[s.pos]; {
		case c == '"':
			s.take()
			return nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		case c < 0x20:
			const hex = "0123456789abcdef"
			s.out = append(s.out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			s.pos++
		case c < utf8.RuneSelf:
			s.take()
		default:
			r, size := utf8.DecodeRuneInString(s.text[s.pos:])
			s.out = utf8.AppendRune(s.out, r)
			s.pos += size
		}
	}
	return errEnd
}

func (s *scanner) escape() error {
	s.take()
	if s.pos == len(s.text) {
		return errEnd
	}
	c := s.text[s.pos]
	if !strings.ContainsRune(`"\/bfnrtu`, rune(c)) {
		return errSyntax
	}
	s.take()
	if c != 'u' {
		return nil
	}
	for range 4 {
		if s.pos == len(s.text) {
			return errEnd
		}
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(s.text[s.pos])) {
			return errSyntax
		}
		s.take()
	}
	return nil
}

// scalar reads a number, true, false or null.
func (s *scanner) scalar() error {
	start := s.pos
	for s.pos < len(s.text) && strings.IndexByte("+-.0123456789aeflnrstuE", s.text[s.pos]) >= 0 {
		if s.budget--; s.budget <= 0 {
			return errSyntax
		}
		s.pos++
	}
	word := s.text[start:s.pos]
	if s.pos == len(s.text) && word != "" {
		return errEnd
	}
	if !json.Valid([]byte(word)) {
		return errSyntax
	}
	s.out = append(s.out, word...)
	return nil
}

// peek skips white space and returns the next byte without taking it.
func (s *scanner) peek() (byte, error) {
	for s.pos < len(s.text) {
		if s.budget--; s.budget <= 0 {
			return 0, errSyntax
		}
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return c, nil
		}
	}
	return 0, errEnd
}

func (s *scanner) take() {
	s.out = append(s.out, s.text[s.pos])
	s.pos++
}
