package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
)

// How far a case goes.
const (
	roundsBefore = 2    // true stretches before the ending
	roundsAfter  = 1    // and after it, as far as they merge
	stretch      = 15   // commits of one round, at most
	maxSource    = 4000 // lines of a file to plant in
	minFunction  = 4    // lines of a function to plant in
	maxFunction  = 120
)

// plantedSite is one place of a planted defect. Its number, from 1, is its mark.
type plantedSite struct {
	defect int
	// was and is are the lines before and after the mutation; is may be empty.
	was, is []string
	// beside is true when the defect's place is an untouched line next to
	// lines that were taken out.
	beside bool
	alive  bool
}

// plantedDefect is one planted defect.
type plantedDefect struct {
	mutation *mutation
	severity finding.Severity
	sites    []int
	function string
	code     string
}

// siteTruth is where a site is after a round.
type siteTruth struct {
	alive bool
	path  string
	line  int // from 1
}

// plantedRound is one push: what it changed and what is true after it.
type plantedRound struct {
	// steps are the commits of the push; jump says that the history was
	// rewritten, so that only the two ends can be compared.
	steps []plantedStep
	jump  bool
	// scripted is false when only true commits were made.
	scripted bool
	head     *plantedTree
	truth    []siteTruth
	// returned lists sites that were fixed and are back.
	returned []int
}

// plantedStep is the change between two versions.
type plantedStep struct {
	from, to *plantedTree
	files    []pathPair
}

// pathPair is a file that differs; one side is "" when it was added or deleted.
type pathPair struct{ old, new string }

// plantedTree is a tree that does not change any more: a commit with some files
// replaced.
type plantedTree struct {
	id      string
	history History
	at      int
	own     map[string][]byte // nil for a file that is not there
}

// read returns nil for a file that is not there.
func (v *plantedTree) read(path string) ([]byte, error) {
	if b, ok := v.own[path]; ok {
		return b, nil
	}
	paths, err := v.history.Paths(v.at)
	if err != nil {
		return nil, err
	}
	if _, ok := slices.BinarySearch(paths, path); !ok {
		return nil, nil
	}
	return v.history.Read(v.at, path)
}

// stage builds one case.
type stage struct {
	history History
	rng     *rand.Rand
	at      int
	// own are the files that differ from commit at; nil for one taken away.
	own     map[string]sheet
	sites   []*plantedSite
	defects []*plantedDefect
	rounds  []plantedRound

	// open is the round being made.
	open     plantedRound
	last     *plantedTree
	versions int
}

// plantedCase is a finished case: defect 0 is the one with the ending, the
// others stay.
type plantedCase struct {
	number  int
	ending  string
	sites   []*plantedSite
	defects []*plantedDefect
	rounds  []plantedRound
}

// plantCase makes one case, or returns a discard.
func plantCase(h History, rng *rand.Rand, e ending) (*plantedCase, error) {
	if len(h.Commits()) < 2 {
		return nil, noSite
	}
	s := &stage{history: h, rng: rng, at: 1 + rng.IntN(len(h.Commits())-1), own: map[string]sheet{}}
	if err := s.plantAll(e.sites); err != nil {
		return nil, err
	}
	s.close()
	s.open.jump = e.unseen
	for range roundsBefore {
		if err := s.carry(); err != nil {
			return nil, err
		}
		if !e.unseen {
			s.close()
		}
	}
	if err := e.play(s); err != nil {
		return nil, err
	}
	for range roundsAfter {
		// What no longer merges ends the case here; its truth so far holds.
		if err := s.carry(); err == conflict {
			break
		} else if err != nil {
			return nil, err
		}
		s.close()
	}
	return &plantedCase{ending: e.name, sites: s.sites, defects: s.defects, rounds: s.rounds}, nil
}

// plantAll plants the defect and a bystander, of one kind and in one file where
// there is room.
func (s *stage) plantAll(sites int) error {
	changed, err := s.history.Changed(s.at)
	if err != nil {
		return err
	}
	var paths []string
	for i := range changed {
		if p := changed[i].NewPath; p != "" && isPlantable(p) {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return noSite
	}
	path := paths[s.rng.IntN(len(paths))]
	content, err := s.history.Read(s.at, path)
	if err != nil {
		return err
	}
	text := sheetOf(content)
	if len(text) > maxSource || bytes.IndexByte(content, 0) >= 0 {
		return noSite
	}
	severity := []finding.Severity{finding.High, finding.Medium}[s.rng.IntN(2)]
	for _, k := range s.rng.Perm(len(mutations)) {
		spots := spotsOf(path, text, &mutations[k])
		s.rng.Shuffle(len(spots), func(i, j int) { spots[i], spots[j] = spots[j], spots[i] })
		if spots = apart(spots, sites+1); len(spots) < sites+1 {
			continue
		}
		return s.plantAt(path, text, &mutations[k], severity, spots, sites)
	}
	return noSite
}

// plantAt plants at chosen spots: the first ones are the sites of the defect,
// the last one is the bystander.
func (s *stage) plantAt(path string, text sheet, m *mutation, severity finding.Severity, spots []spotAt, sites int) error {
	lines := text.texts()
	target := &plantedDefect{mutation: m, severity: severity}
	bystander := &plantedDefect{mutation: m, severity: severity}
	s.defects = []*plantedDefect{target, bystander}
	type planting struct {
		spotAt
		site int
	}
	var order []planting
	for i, spot := range spots {
		d := 0
		if i == sites {
			d = 1
		}
		site := &plantedSite{defect: d, was: lines[spot.from:spot.to], is: spot.lines, beside: len(spot.lines) == 0, alive: true}
		s.sites = append(s.sites, site)
		s.defects[d].sites = append(s.defects[d].sites, len(s.sites))
		if s.defects[d].function == "" {
			s.defects[d].function = spot.function
			s.defects[d].code = spot.code
		}
		order = append(order, planting{spot, len(s.sites)})
	}
	// From the bottom up, so that the numbers above stay right.
	slices.SortFunc(order, func(a, b planting) int { return b.from - a.from })
	for _, p := range order {
		next, ok := p.plant(text, p.site)
		if !ok {
			return noSite
		}
		text = next
	}
	s.own[path] = text
	s.commit(nil)
	return nil
}

// where finds a site in the files of the case.
func (s *stage) where(site int) (path string, index int) {
	for _, p := range s.paths() {
		if i := s.own[p].find(site); i >= 0 {
			return p, i
		}
	}
	return "", -1
}

// paths lists the files of the case in order.
func (s *stage) paths() []string {
	out := make([]string, 0, len(s.own))
	for p := range s.own {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// commit makes a version of what stands now.
func (s *stage) commit(files []pathPair) {
	v := &plantedTree{id: fmt.Sprintf("%040x", s.versions+1), history: s.history, at: s.at, own: make(map[string][]byte, len(s.own))}
	s.versions++
	for p, t := range s.own {
		v.own[p] = nil
		if t != nil {
			v.own[p] = t.bytes()
		}
	}
	if s.last != nil {
		s.open.steps = append(s.open.steps, plantedStep{s.last, v, files})
	}
	s.last = v
}

// edit makes a scripted commit of the files that differ from the version before.
func (s *stage) edit() error {
	var files []pathPair
	for _, p := range s.paths() {
		was, err := s.last.read(p)
		if err != nil {
			return err
		}
		switch is := s.own[p]; {
		case is == nil && was != nil:
			files = append(files, pathPair{old: p})
		case is != nil && was == nil:
			files = append(files, pathPair{new: p})
		case is != nil && !bytes.Equal(was, is.bytes()):
			files = append(files, pathPair{p, p})
		}
	}
	s.open.scripted = true
	s.commit(files)
	return nil
}

// close ends a round that has a commit and writes down what is true.
func (s *stage) close() {
	if len(s.rounds) > 0 && len(s.open.steps) == 0 {
		return
	}
	r := s.open
	r.head = s.last
	r.truth = make([]siteTruth, len(s.sites))
	for i, site := range s.sites {
		path, index := s.where(i + 1)
		r.truth[i] = siteTruth{alive: site.alive, path: path, line: index + 1}
	}
	s.rounds = append(s.rounds, r)
	s.open = plantedRound{}
}

// carry goes on along the true commits until one touches a file of the case, or
// the stretch is over, merging each into what is planted.
func (s *stage) carry() error {
	for range stretch {
		if s.at+1 >= len(s.history.Commits()) {
			return nil
		}
		touched, err := s.advance()
		if err != nil || touched {
			return err
		}
	}
	return nil
}

// advance merges the next true commit.
func (s *stage) advance() (touched bool, err error) {
	changed, err := s.history.Changed(s.at + 1)
	if err != nil {
		return false, err
	}
	own := make(map[string]sheet, len(s.own))
	for p, t := range s.own {
		own[p] = t
	}
	var files []pathPair
	for i := range changed {
		f := &changed[i]
		files = append(files, pathPair{f.OldPath, f.NewPath})
		ours, planted := s.own[f.OldPath]
		if _, taken := s.own[f.NewPath]; taken && f.NewPath != f.OldPath {
			return false, conflict
		}
		if !planted {
			continue
		}
		if f.NewPath == "" || ours == nil {
			return false, conflict
		}
		base, err := s.history.Read(s.at, f.OldPath)
		if err != nil {
			return false, err
		}
		theirs, err := s.history.Read(s.at+1, f.NewPath)
		if err != nil {
			return false, err
		}
		merged, ok := merge(sheetOf(base).texts(), ours, sheetOf(theirs).texts())
		if !ok {
			return false, conflict
		}
		if f.NewPath != f.OldPath {
			own[f.OldPath] = nil
		}
		own[f.NewPath] = merged
		touched = true
	}
	s.at, s.own = s.at+1, own
	for i, site := range s.sites {
		if _, at := s.where(i + 1); at < 0 && site.alive {
			return false, conflict
		}
	}
	s.commit(files)
	return touched, nil
}
