package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/crev-ratchet/crev/internal/diff"
)

// History is a stretch of a repository's first-parent line, oldest commit
// first, numbered from 0.
type History interface {
	// Commits returns the full ids.
	Commits() []string
	// Changed lists the files that differ between commit n-1 and commit n,
	// renames paired; 1 <= n < len(Commits()). The hunks are not looked at.
	Changed(n int) ([]diff.File, error)
	// Paths lists the regular files of commit n in byte order.
	Paths(n int) ([]string, error)
	// Read returns the content of a file of commit n.
	Read(n int, path string) ([]byte, error)
}

// PlantedOptions say what to plant. The zero value plants nothing.
type PlantedOptions struct {
	// Plants is how many cases to make: each plants one defect with a
	// scripted ending and one bystander that stays.
	Plants int
	// Seed decides everything that is drawn. A case depends on the seed and
	// its number only.
	Seed uint64
	// Recall is the share of defects in the code that the scripted reviewer
	// mentions in a round after the first, 0 to 1.
	Recall float64
}

// attemptsPerPlant bounds how often a case is begun for each one wanted.
// Half of them or more come to nothing: no line to change, a conflict with a
// later commit, no second function to move beside.
const attemptsPerPlant = 20

// ErrNoPlants means that no case could be made of a history.
var ErrNoPlants = errors.New("no defect could be planted")

// Planted plants defects in real commits of a history, carries them through the
// true later commits, lets each end as a script says, and measures what crev and
// simpler methods make of it. The same history and options give the same
// result. docs/planted.md has the formulas.
func Planted(h History, opts PlantedOptions) (PlantedResult, error) {
	if opts.Recall < 0 || opts.Recall > 1 {
		return PlantedResult{}, fmt.Errorf("recall is %v; give a share between 0 and 1", opts.Recall)
	}
	r := PlantedResult{
		Seed: opts.Seed, Recall: opts.Recall, Endings: map[string]*PlantedEnding{},
		Discarded: map[string]int{}, Mutations: map[string]int{}, Failures: []PlantedFailure{},
	}
	if n := len(h.Commits()); n > 0 {
		r.From, r.To = h.Commits()[0], h.Commits()[n-1]
	}
	for _, e := range plantedEndings {
		r.Endings[e.name] = &PlantedEnding{}
	}
	for try := 0; r.Cases < opts.Plants && try < attemptsPerPlant*opts.Plants; try++ {
		rng := plantedDraws(opts.Seed, uint64(try))
		ending := plantedEndings[try%len(plantedEndings)]
		c, err := plantCase(h, rng, ending)
		var d discard
		switch {
		case errors.As(err, &d):
			r.discarded(ending.name, d)
			continue
		case err != nil:
			return PlantedResult{}, fmt.Errorf("plant case %d: %w", try, err)
		}
		c.number = try
		if err := r.measure(c, rng, opts.Recall); err != nil {
			return PlantedResult{}, fmt.Errorf("measure case %d (%s): %w", try, ending.name, err)
		}
	}
	if r.Cases == 0 {
		return PlantedResult{}, fmt.Errorf("%w in %d commits; give a longer range, or a repository with code in Go, Python, JavaScript, Java or C",
			ErrNoPlants, len(h.Commits()))
	}
	r.share()
	return r, nil
}

// plantedDraws is the source of everything that one case draws.
func plantedDraws(seed, try uint64) *rand.Rand {
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], seed)
	binary.BigEndian.PutUint64(key[8:], try)
	return rand.New(rand.NewChaCha8(key))
}

// discard is why a case came to nothing. It is no fault of the history.
type discard string

func (d discard) Error() string { return string(d) }

// The reasons to give a case up.
const (
	noSite      discard = "no line to change"
	conflict    discard = "a later commit changes the planted lines"
	notFeasible discard = "the ending does not fit the file"
)
