package crevtest

import "maps"

// Findings is the reply of a reviewer that makes these findings. What a finding
// leaves out gets a value: new side, no lines, no symbol, category correctness,
// severity medium, no criteria, no suggestion, no
// artifact.
func Findings(fs ...map[string]any) map[string]any {
	all := []any{}
	for _, f := range fs {
		full := map[string]any{
			"path": "", "quote": "", "side": "new", "start_line": nil, "end_line": nil, "symbol": nil,
			"category": "correctness", "severity": "medium",
			"claim": "", "subject": "", "predicate": "", "detail": "",
			"evidence": []any{}, "criteria": []any{}, "suggestion": nil, "artifact": nil,
		}
		maps.Copy(full, f)
		all = append(all, full)
	}
	return map[string]any{"findings": all}
}
