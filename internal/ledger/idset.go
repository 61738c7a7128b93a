package ledger

// idSet is a set of 64-bit hashes in one array. A million entries take 16 MB
// where a map takes three times that.
type idSet struct {
	slots []uint64 // 0 is free
	n     int
}

// newIDSet returns a set with room for n entries.
func newIDSet(n int) idSet {
	size := 16
	for size < n+n/2 {
		size *= 2
	}
	return idSet{slots: make([]uint64, size)}
}

// add adds a hash and reports whether it was new.
func (s *idSet) add(h uint64) bool {
	if h == 0 {
		h = 1 << 63 // one value in 2^64 shares its place with another
	}
	if 4*s.n >= 3*len(s.slots) {
		s.grow()
	}
	i := s.find(h)
	if s.slots[i] == h {
		return false
	}
	s.slots[i] = h
	s.n++
	return true
}

// find returns the slot of a hash, or the free one where it belongs.
func (s *idSet) find(h uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := mix(h, 0) & mask
	for s.slots[i] != 0 && s.slots[i] != h {
		i = (i + 1) & mask
	}
	return i
}

func (s *idSet) grow() {
	old := s.slots
	s.slots = make([]uint64, 2*len(old))
	for _, h := range old {
		if h != 0 {
			s.slots[s.find(h)] = h
		}
	}
}

// mix joins two hashes to one whose bits all depend on all bits of both; it is
// the finalizer of MurmurHash3, by Austin Appleby, in the public domain.
func mix(a, b uint64) uint64 {
	h := a ^ (b*0x9e3779b97f4a7c15 + 0x7f4a7c15)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
