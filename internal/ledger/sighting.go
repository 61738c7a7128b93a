package ledger

import "math/bits"

// sighting is one opened or observed event in 16 bytes: a million of them have
// to be counted in little memory. It is only ever compared with sightings of
// the same class, so parts of hashes are enough.
type sighting struct {
	// event holds 40 bits of the event's id over 24 of the pull request,
	// run 32 of the run's hash over the 32 of the defect's id.
	event, run uint64
}

const prBits = 24 // GitHub's busiest repositories are far below 16 million

func sightingOf(h header) sighting {
	return sighting{
		event: h.id<<prBits | uint64(h.pr)&(1<<prBits-1),
		run:   h.run<<32 | uint64(h.defect),
	}
}

func (s sighting) id() uint64     { return s.event >> prBits }
func (s sighting) pr() uint64     { return s.event & (1<<prBits - 1) }
func (s sighting) defect() uint64 { return s.run & 0xffffffff }

// unit names the run, within its pull request.
func (s sighting) unit() uint64 { return s.pr()<<32 | s.run>>32 }

const (
	slabBits = 14
	// slabSize is how many sightings are allocated at once.
	slabSize = 1 << slabBits
	// maxChunk is the longest chunk of a pile.
	maxChunk = 256
)

// slabs hold the sightings of all classes, interleaved.
type slabs struct {
	all  [][]sighting
	next uint32
}

func (s *slabs) at(i uint32) *sighting { return &s.all[i>>slabBits][i&(slabSize-1)] }

// take returns the place of n free sightings side by side.
func (s *slabs) take(n uint32) uint32 {
	if s.next&(slabSize-1)+n > slabSize {
		s.next = (s.next + slabSize) &^ (slabSize - 1)
	}
	for int(s.next>>slabBits) >= len(s.all) {
		s.all = append(s.all, make([]sighting, slabSize))
	}
	start := s.next
	s.next += n
	return start
}

// pile is a list of sightings: chunks in the slabs, each beginning with a link
// to the one before. Nothing is copied when it grows, so nothing is left to the
// garbage collector.
type pile struct {
	chunk      uint32 // the latest chunk
	used, size uint32 // of it, without the link
	n          int
}

func (p *pile) add(s sighting, in *slabs) {
	if p.used == p.size {
		size := min(max(3, uint32(p.n)/2), maxChunk)
		chunk := in.take(1 + size)
		*in.at(chunk) = sighting{event: uint64(p.chunk), run: uint64(p.size)}
		p.chunk, p.used, p.size = chunk, 0, size
	}
	p.used++
	*in.at(p.chunk + p.used) = s
	p.n++
}

// each calls f with every sighting.
func (p *pile) each(in *slabs, f func(sighting)) {
	chunk, used := p.chunk, p.used
	for used > 0 {
		for i := range used {
			f(*in.at(chunk + 1 + i))
		}
		link := *in.at(chunk)
		chunk, used = uint32(link.event), uint32(link.run)
	}
}

// counts are the numbers of a class.
type counts struct {
	sightings, runs, pullRequests, loneRuns, defects int
}

// sum counts piles. It keeps its buffers from one to the next.
type sum struct {
	all   []sighting
	known hashSet
}

// count counts the sightings, each event once.
func (s *sum) count(p *pile, in *slabs) counts {
	s.known.reset(p.n)
	s.all = s.all[:0]
	p.each(in, func(x sighting) {
		if s.known.add(x.id()) {
			s.all = append(s.all, x)
		}
	})
	n := counts{sightings: len(s.all)}
	s.known.reset(len(s.all))
	for _, x := range s.all {
		if s.known.add(x.unit()) {
			n.runs++
			if x.pr() == 0 {
				n.loneRuns++
			}
		}
	}
	s.known.reset(len(s.all))
	for _, x := range s.all {
		if x.pr() != 0 && s.known.add(x.pr()) {
			n.pullRequests++
		}
	}
	s.known.reset(len(s.all))
	for _, x := range s.all {
		if s.known.add(x.defect()) {
			n.defects++
		}
	}
	return n
}

// hashSet is a set of numbers in one array that is used again and again. It is
// made for sets that fit the processor's cache.
type hashSet struct {
	slots []uint64 // number + 1, 0 is free
	mask  uint64
}

// reset empties the set and makes room for n numbers.
func (s *hashSet) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	if size > len(s.slots) {
		s.slots = make([]uint64, size)
	} else {
		clear(s.slots[:size])
	}
	s.mask = uint64(size - 1)
}

// add adds a number below 2^64-1 and reports whether it was new.
func (s *hashSet) add(n uint64) bool {
	n++
	// Fibonacci hashing: the high bits of the product depend on all of n.
	i := n * 0x9e3779b97f4a7c15 >> 32 & s.mask
	for s.slots[i] != 0 {
		if s.slots[i] == n {
			return false
		}
		i = (i + 1) & s.mask
	}
	s.slots[i] = n
	return true
}
