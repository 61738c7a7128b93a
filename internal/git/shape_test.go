package git

import (
	"path/filepath"
	"testing"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	tests := map[string]Version{
		"git version 2.47.1\n":                   {Text: "2.47.1"},
		"git version 2.39.5 (Apple Git-154)\n":   {Text: "2.39.5 (Apple Git-154)"},
		"git version 2.38.0.windows.1\n":         {Text: "2.38.0.windows.1"},
		"git version 2.37.9\n":                   {Text: "2.37.9", Old: true},
		"git version 1.9.1\n":                    {Text: "1.9.1", Old: true},
		"git version 3.0.0\n":                    {Text: "3.0.0"},
		"git version next\n":                     {Text: "next"},
		"git version 2.x\n":                      {Text: "2.x"},
		"something else that is no version at 1": {Text: "something else that is no version at 1"},
	}
	for said, want := range tests {
		if got := parseVersion(said); got != want {
			t.Errorf("parseVersion(%q) = %+v, want %+v", said, got, want)
		}
	}
}

func TestFindVersion(t *testing.T) {
	t.Parallel()
	v, err := FindVersion(t.Context())
	if err != nil || v.Old || v.Text == "" {
		t.Errorf("FindVersion() = %+v, %v; want the version that these tests run with", v, err)
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	from := newFixture(t)
	for _, message := range []string{"one", "two"} {
		from.git("commit", "--quiet", "--allow-empty", "-m", message)
	}
	from.git("config", "uploadpack.allowFilter", "true")
	dir := t.TempDir()
	tests := map[string]struct {
		args []string
		want Shape
	}{
		"full":    {nil, Shape{}},
		"shallow": {[]string{"--depth=1"}, Shape{Shallow: true}},
		"partial": {[]string{"--filter=blob:none"}, Shape{Partial: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(dir, name)
			from.git(append(append([]string{"clone", "--quiet"}, tt.args...), "file://"+from.dir, to)...)
			r, err := Open(t.Context(), to)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if got, err := r.Shape(t.Context()); err != nil || got != tt.want {
				t.Errorf("Shape() = %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}
