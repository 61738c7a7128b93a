package review

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/batch"
)

// guideName is the file in which a project says how its code is written; it
// counts for the folder that it stands in and everything below.
// https://agents.md
const guideName = "AGENTS.md"

// guideRoom is how much of them a finder is shown, in bytes: about 3,000 tokens.
const guideRoom = 12_000

// guide is one such file.
type guide struct{ path, text string }

// guides are those that count for the files of a batch, from the root down, as
// the base has them: a change that writes itself a milder one is not read by it.
func guides(base fs.FS, b batch.Batch) []guide {
	var paths []string
	for _, p := range b.Paths() {
		for dir := path.Dir(p); ; dir = path.Dir(dir) {
			if g := path.Join(dir, guideName); !slices.Contains(paths, g) && !strings.HasPrefix(g, ".crev/") {
				paths = append(paths, g)
			}
			if dir == "." || dir == "/" {
				break
			}
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	var out []guide
	room := guideRoom
	for _, p := range paths {
		text := head(strings.ToValidUTF8(string(readText(base, p)), "\uFFFD"), room)
		if strings.TrimSpace(text) == "" {
			continue
		}
		room -= len(text)
		out = append(out, guide{p, text})
	}
	return out
}
