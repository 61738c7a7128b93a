package git

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// L14: what a pull request says of its own files does not count.
func TestAttributes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(".gitattributes", "*.lock linguist-generated\nvendor/** linguist-vendored=true\n*.go diff=golang -linguist-generated\n[attr]cassette linguist-generated -diff\n*.rec cassette\n")
	f.write("pkg/.gitattributes", "gen.go linguist-generated=true\n")
	f.link("../evil", "linked/.gitattributes")
	base := f.commit("base")
	f.write(".gitattributes", "src/auth.go linguist-generated=true\n")
	f.write("src/auth.go", "package src\n")
	f.write("linked/x", "")
	f.write("evil", "* linguist-generated=true\n")
	head := f.commit("pull request")
	f.write(".git/info/attributes", "* linguist-generated=true\n")
	f.write(".gitattributes", "* linguist-generated=true\n")
	f.git("config", "core.attributesFile", f.dir+"/evil")

	r := f.open()
	paths := []string{"a.lock", "vendor/deep/x.js", "main.go", "pkg/gen.go", "pkg/other.go", "x.rec", "src/auth.go",
		"linked/x", "--help", "line\nend.lock", "latin-\xe9.lock", "../up.lock", ".git/x.lock", "/abs.lock", "a//b.lock", "", "."}
	tests := map[string]struct {
		commit string
		want   map[string]map[string]string
	}{
		"the base": {base, map[string]map[string]string{
			"a.lock":           {"linguist-generated": "set"},
			"vendor/deep/x.js": {"linguist-vendored": "true"},
			"main.go":          {"linguist-generated": "unset", "diff": "golang"},
			"pkg/gen.go":       {"linguist-generated": "true", "diff": "golang"},
			"pkg/other.go":     {"linguist-generated": "unset", "diff": "golang"},
			"x.rec":            {"linguist-generated": "set", "diff": "unset"},
			"src/auth.go":      {"linguist-generated": "unset", "diff": "golang"},
			"line\nend.lock":   {"linguist-generated": "set"},
			"latin-\xe9.lock":  {"linguist-generated": "set"},
		}},
		"the pull request's own, to be shown": {head, map[string]map[string]string{
			"pkg/gen.go":  {"linguist-generated": "true"},
			"src/auth.go": {"linguist-generated": "true"},
		}},
	}
	for name, tt := range tests {
		got, err := r.Attributes(t.Context(), tt.commit, paths, "linguist-generated", "linguist-vendored", "diff")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if _, err := r.Attributes(t.Context(), base, paths, "--all"); err == nil {
		t.Error("Attributes took an option for an attribute")
	}
	if _, err := r.Attributes(t.Context(), strings.Repeat("d", 40), paths, "diff"); err == nil {
		t.Error("Attributes of a missing commit gave no error")
	}
	if got, err := r.Attributes(t.Context(), base, nil, "diff"); err != nil || len(got) != 0 {
		t.Errorf("Attributes of no path = %v, %v", got, err)
	}
}
