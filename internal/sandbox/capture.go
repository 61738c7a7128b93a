package sandbox

import "io"

// capture reads a stream to its end and keeps the first bytes of it.
type capture struct {
	kept []byte
	cut  bool
}

func (c *capture) readAll(r io.Reader, limit int) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		take := min(n, limit-len(c.kept))
		c.kept = append(c.kept, buf[:take]...)
		if take < n && !c.cut {
			c.cut = true
		}
		if err != nil {
			break
		}
	}
	if c.cut {
		c.kept = append(c.kept, CutMarker...)
	}
}
