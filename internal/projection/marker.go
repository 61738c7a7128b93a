package projection

import (
	"regexp"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// SummaryMarker is the hidden line that ends crev's one summary comment.
const SummaryMarker = "<!-- crev:1 summary -->"

// Marker is the hidden line that ends a comment about a defect. It is believed
// only in comments that crev's own identity wrote.
func Marker(id ledger.DefectID, fp string) string {
	return "<!-- crev:1 id=" + string(id) + " fp=" + fp + " -->"
}

var marker = regexp.MustCompile(`^<!-- crev:1 id=(D-[0-9a-f]{8,}) fp=([0-9a-f]{16}) -->$`)

// DefectOf reads the marker of a body: its last line, since text from a model
// stands before it and cannot end a body.
func DefectOf(body string) (ledger.DefectID, bool) {
	body = strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n ")
	m := marker.FindStringSubmatch(body[strings.LastIndexByte(body, '\n')+1:])
	if m == nil {
		return "", false
	}
	return ledger.DefectID(m[1]), true
}
