package crevtest

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// fenceLine opens a block of untrusted text; its first word is the fence.
var fenceLine = regexp.MustCompile(`^\[begin ([a-z2-7]{16}\d*) .*\]$`)

// Unfenced looks for each of the words in all requests. It returns where one
// stands outside of a fenced block, the model's own earlier answers aside, and
// which were in no request at all.
func (m *Model) Unfenced(words []string) []string {
	var out []string
	seen := map[string]bool{}
	for i, r := range m.Requests() {
		messages, _ := r.Body["messages"].([]any)
		for _, raw := range messages {
			message, _ := raw.(map[string]any)
			content, _ := message["content"].(string)
			if message["role"] == "assistant" {
				continue
			}
			inside, outside := fencedParts(content)
			if message["role"] == "system" {
				inside, outside = "", content
			}
			for _, w := range words {
				seen[w] = seen[w] || strings.Contains(inside, w)
				if strings.Contains(outside, w) {
					out = append(out, fmt.Sprintf("request %d (%s): %q stands in the %s message outside of a fence", i+1, r.Rule, w, message["role"]))
				}
			}
		}
	}
	for _, w := range words {
		if !seen[w] {
			out = append(out, fmt.Sprintf("%q is in no fenced block of any request", w))
		}
	}
	return out
}

// fencedParts splits a message into what stands in fenced blocks, their labels
// included, and the rest. A block ends with the line that repeats its own fence,
// whatever stands between.
func fencedParts(content string) (inside, outside string) {
	var in, out strings.Builder
	end := ""
	for line := range strings.SplitSeq(content, "\n") {
		if end != "" {
			if line == end {
				end = ""
			}
			in.WriteString(line + "\n")
			continue
		}
		if begin := fenceLine.FindStringSubmatch(line); begin != nil {
			end = "[end " + begin[1] + "]"
			in.WriteString(line + "\n")
			continue
		}
		out.WriteString(line + "\n")
	}
	return in.String(), out.String()
}

// systems names the different system texts of all requests, sorted.
func (m *Model) systems() []string {
	var out []string
	for _, r := range m.Requests() {
		messages, _ := r.Body["messages"].([]any)
		for _, raw := range messages {
			message, _ := raw.(map[string]any)
			if content, _ := message["content"].(string); message["role"] == "system" {
				out = append(out, fmt.Sprintf("%x", sha256.Sum256([]byte(content))))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
