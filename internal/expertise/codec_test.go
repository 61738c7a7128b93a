package expertise

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var compareAll = cmp.AllowUnexported(History{}, ident{}, record{}, change{})

// sampleHistory has everything that a history can hold.
func sampleHistory() *History {
	var s tale
	s.commit(900, "Ann Ames <ann@x>", "dir/a", "dir/b\xff", "c").with("Bo <b@x>", "nobody in particular", "> <")
	s.commit(3, "Jos\xe9 <>", "dir/a → dir/d")
	s.commit(-2, "Bo <b@x>")
	h := s.history()
	h.Since = epoch.AddDate(-5, 0, 0)
	return h
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*History{"all": sampleHistory(), "none": new(tale).history()} {
		got, err := Decode(h.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h, got, compareAll, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Decode(Encode) of %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good := sampleHistory().Encode()
	for i := range good {
		for _, broken := range [][]byte{good[:i], append(bytes.Clone(good[:i]), good[i:][1:]...), flip(good, i)} {
			if h, err := Decode(broken); !errors.Is(err, ErrNotAHistory) {
				t.Fatalf("Decode with byte %d wrong = %v, %v, want ErrNotAHistory", i, h, err)
			}
		}
	}
	if _, err := Decode(append(bytes.Clone(good), 0)); !errors.Is(err, ErrNotAHistory) {
		t.Errorf("Decode with a byte more: %v, want ErrNotAHistory", err)
	}
}

func flip(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[i] ^= 0x10
	return b
}

// Paths that share a long beginning take little room in a file and much in
// memory: such a file is refused.
func TestDecodeBounds(t *testing.T) {
	t.Parallel()
	b := appendText([]byte(magic), "head")
	b = append(b, 0, 0) // whole, no people
	const paths = 1000
	b = binary.AppendUvarint(b, paths)
	b = append(b, 0, 0) // no path
	long := bytes.Repeat([]byte("x"), maxPathBytes/paths+2000)
	b = append(binary.AppendUvarint(append(b, 0), uint64(len(long))), long...)
	for range paths - 2 {
		b = append(binary.AppendUvarint(b, uint64(len(long))), 0)
	}
	b = append(b, 0) // no commits
	if h, err := Decode(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))); !errors.Is(err, ErrNotAHistory) {
		t.Errorf("Decode of %d long paths = %v, %v, want ErrNotAHistory", paths, h != nil, err)
	}
}

// FuzzDecode gives Decode bodies with a right checksum: what it accepts, it
// writes the same way again, and a graph can be made of it.
func FuzzDecode(f *testing.F) {
	good := sampleHistory().Encode()
	f.Add(good[len(magic) : len(good)-sumSize])
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append([]byte(magic), body...)
		h, err := Decode(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
		if err != nil {
			return
		}
		again, err := Decode(h.Encode())
		if err != nil {
			t.Fatalf("Decode of what it read: %v", err)
		}
		if diff := cmp.Diff(h, again, compareAll); diff != "" {
			t.Errorf("Decode of what it read (-want +got):\n%s", diff)
		}
		g := NewGraph(h, Options{Now: epoch, Paths: h.paths})
		for _, r := range g.Rank(everything) {
			if r.Points < 0 {
				t.Errorf("Rank has %d points", r.Points)
			}
		}
	})
}

func TestCovers(t *testing.T) {
	t.Parallel()
	whole, part := &History{}, &History{Since: epoch}
	tests := map[string]struct {
		h     *History
		since time.Time
		want  bool
	}{
		"the whole, of all":    {whole, time.Time{}, true},
		"the whole, of a part": {whole, epoch, true},
		"a part, of all":       {part, time.Time{}, false},
		"a part, of itself":    {part, epoch, true},
		"a part, of more":      {part, epoch.Add(-time.Second), false},
		"a part, of less":      {part, epoch.Add(time.Second), true},
	}
	for name, tt := range tests {
		if got := tt.h.Covers(tt.since); got != tt.want {
			t.Errorf("%s: Covers = %v, want %v", name, got, tt.want)
		}
	}
}
