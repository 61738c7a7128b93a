package expertise

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
)

// Options is what turns a History into a Graph.
type Options struct {
	// Now is the moment that ages count to.
	Now time.Time
	// Paths are the files of the history's head. Work on anything else counts
	// for nobody.
	Paths []string
	// Mailmap and IgnoreRevs are the head's .mailmap and
	// .git-blame-ignore-revs, empty without one.
	Mailmap, IgnoreRevs []byte
	// Reviews are what crev itself saw people do, beside the commits.
	Reviews []Review
}

// Review is a pull request that somebody approved, or in which they resolved a
// thread. One pull request counts once for a person, at its latest moment.
type Review struct {
	PR    int
	Login string
	At    time.Time
	// Paths are the files of the pull request.
	Paths []string
}

// Graph is who did what in a repository, seen at one moment. A nil Graph is a
// repository without a history. It may be used by many goroutines at once.
type Graph struct {
	now int64
	dir *directory
	// paths are the files of the head; works name them by place.
	paths []string
	works []work
}

// work is a commit or a review, newest first.
type work struct {
	// weight is its size and age.
	weight float64
	// author is an identity, nobody in a review.
	author int32
	// others are the identities it is worth ByReview to.
	others []int32
	// paths are the files it changed that are still there, under the names
	// they have now.
	paths []int32
}

// nobody stands for an author who is no person.
const nobody = -1

// NewGraph looks at a history at one moment. Reading is linear in the history,
// about 0.1 s for 100,000 commits.
func NewGraph(h *History, o Options) *Graph {
	b := builder{
		graph: &Graph{now: o.Now.Unix(), dir: newDirectory(parseMailmap(o.Mailmap)), paths: o.Paths},
		h:     h,
		now:   make([]int32, len(h.paths)),
		who:   make([]int32, len(h.people)),
	}
	b.findPaths(o.Paths)
	for i := range h.people {
		b.who[i] = b.graph.dir.add(h.people[i])
	}
	ignored := parseIgnoreRevs(o.IgnoreRevs)
	b.graph.works = make([]work, 0, len(h.commits))
	for i := range h.commits {
		b.commit(&h.commits[i], ignored)
	}
	b.reviews(o.Reviews)
	return b.graph
}

// builder walks a history from its newest commit to its oldest.
type builder struct {
	graph *Graph
	h     *History
	// at is where a path of the head stands among its paths.
	at map[string]int32
	// now says, for a path of the history, which path of the head its file
	// has become, gone if none: as of the commit that is looked at.
	now []int32
	// who says which identity a person of the history is.
	who     []int32
	arena   []int32
	renamed []rename
}

// gone is a path whose file is not in the head.
const gone = -1

type rename struct {
	from uint32
	now  int32
}

func (b *builder) findPaths(paths []string) {
	b.at = make(map[string]int32, len(paths))
	for i, p := range paths {
		b.at[p] = int32(i)
	}
	for i, p := range b.h.paths {
		b.now[i] = b.path(p)
	}
}

func (b *builder) path(p string) int32 {
	if at, ok := b.at[p]; ok {
		return at
	}
	return gone
}

// commit adds one commit, older than those before.
func (b *builder) commit(c *record, ignored map[uint64]bool) {
	d := b.graph.dir
	author := b.who[c.author]
	d.seen(author, b.name(c.author), c.time)
	for _, o := range c.others {
		d.seen(b.who[o], b.name(o), c.time)
	}
	paths := b.paths(c.changes)
	if len(paths) == 0 || ignored[c.id] {
		return
	}
	w := work{weight: size(len(c.changes)) * age(b.graph.now-c.time), author: author, paths: paths}
	if d.all[author].bot {
		w.author = nobody
	}
	for _, o := range c.others {
		if who := b.who[o]; !d.all[who].bot {
			w.others = append(w.others, who)
		}
	}
	if w.author != nobody || len(w.others) > 0 {
		b.graph.works = append(b.graph.works, w)
	}
}

// name is the name of a person of the history, as the .mailmap wants it.
func (b *builder) name(person uint32) string {
	return b.graph.dir.mailmap.apply(b.h.people[person]).name
}

// paths returns what the files of a commit are called now, each once, and
// lets the commits before it know its renames.
func (b *builder) paths(changes []change) []int32 {
	start := len(b.arena)
	b.renamed = b.renamed[:0]
	for _, ch := range changes {
		now := b.now[ch.path]
		if now != gone {
			b.arena = append(b.arena, now)
		}
		if ch.from != 0 {
			b.renamed = append(b.renamed, rename{from: ch.from, now: now})
		}
	}
	// Only now: a commit may swap two names.
	for _, r := range b.renamed {
		b.now[r.from] = r.now
	}
	own := b.arena[start:]
	slices.Sort(own)
	own = slices.Compact(own)
	b.arena = b.arena[:start+len(own)]
	return slices.Clip(own)
}

// reviews adds what crev saw. A path that is gone counts where the history
// says that its file went.
func (b *builder) reviews(list []Review) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Review) int {
		return cmp.Or(strings.Compare(strings.ToLower(x.Login), strings.ToLower(y.Login)),
			cmp.Compare(x.PR, y.PR), y.At.Compare(x.At))
	})
	list = slices.CompactFunc(list, func(x, y Review) bool { return x.PR == y.PR && strings.EqualFold(x.Login, y.Login) })
	went := map[string]int32{}
	for i, p := range b.h.paths {
		went[p] = b.now[i]
	}
	d := b.graph.dir
	for _, r := range list {
		if isBotLogin(r.Login) {
			continue
		}
		who := d.account(r.Login)
		d.seen(who, r.Login, r.At.Unix())
		w := work{weight: size(len(r.Paths)) * age(b.graph.now-r.At.Unix()), author: nobody, others: []int32{who}}
		for _, p := range r.Paths {
			now := b.path(p)
			if at, ok := went[p]; ok && now == gone {
				now = at
			}
			if now != gone {
				w.paths = append(w.paths, now)
			}
		}
		b.graph.works = append(b.graph.works, w)
	}
}

// parseIgnoreRevs reads a .git-blame-ignore-revs: an id a line, # comments.
func parseIgnoreRevs(text []byte) map[uint64]bool {
	ignored := map[uint64]bool{}
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if id := bytes.TrimSpace(line); len(id) == 40 || len(id) == 64 {
			ignored[shortID(bytes.ToLower(id))] = true
		}
	}
	return ignored
}
