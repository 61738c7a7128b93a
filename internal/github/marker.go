package github

import "strings"

// A marker is the hidden line by which crev finds its own comments again, for
// example
//
//	<!-- crev:1 id=D-5f0c9a1e fp=334cece5d8ab7d10 -->
//
// This package does not write markers and does not read what stands in them:
// the caller renders them into the bodies and passes the same text along. It
// only looks for them in comments that GitHub attributes to its own identity.
const (
	markerStart = "<!-- crev:"
	markerEnd   = "-->"
)

// Markers returns the markers in a body, in order. Who wrote the body decides
// whether they mean anything; see Comment.Mine.
func Markers(body string) []string {
	var found []string
	for {
		_, rest, ok := strings.Cut(body, markerStart)
		if !ok {
			return found
		}
		inner, after, ok := strings.Cut(rest, markerEnd)
		if !ok {
			return found
		}
		found = append(found, markerStart+inner+markerEnd)
		body = after
	}
}

// has reports whether the comment is crev's own and carries the marker.
func (m *Comment) has(marker string) bool {
	return m.Mine && marker != "" && strings.Contains(m.Body, marker)
}
