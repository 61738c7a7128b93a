package reconcile

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                  nil,
		"getUserByID(id) is slow":           {"igetuserbyid", "wget", "wuser", "wid", "wid", "wslow"},
		"HTTPServer in internal/web/srv.go": {"whttp", "wserver", "fsrv.go", "wsrv"},
		"it isn't validated":                {"wnot", "wvalidat"},
		"max_retries, user.name":            {"imax_retries", "wmax", "wretri", "wuser", "wname"},
	} {
		if diff := cmp.Diff(want, terms(text)); diff != "" {
			t.Errorf("terms(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestStemBringsFormsTogether(t *testing.T) {
	t.Parallel()
	for _, forms := range [][]string{
		{"leak", "leaks", "leaked", "leaking"},
		{"query", "queries"},
		{"handler", "handlers"},
		{"cancel", "canceled", "cancelled", "canceling", "cancelling"},
		{"validate", "validates", "validated", "validating", "validation"},
		{"overflow", "overflows", "overflowed"},
	} {
		got := map[string][]string{}
		for _, f := range forms {
			got[stem(f)] = append(got[stem(f)], f)
		}
		if len(got) != 1 {
			t.Errorf("%v have the stems %v, want one", forms, got)
		}
	}
	if apart := []string{stem("lock"), stem("log"), stem("loop"), stem("lost")}; len(slices.Compact(slices.Sorted(slices.Values(apart)))) != 4 {
		t.Errorf("different words share a stem: %v", apart)
	}
}
