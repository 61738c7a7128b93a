package relocate

// relation says how the declarations around an old and a new line compare.
type relation int

const (
	// unknownSymbol: at least one of the lines stands in no declaration.
	unknownSymbol relation = iota
	// sameSymbol: one name, or the diff pairs the lines that name them.
	sameSymbol
	// otherSymbol: different names.
	otherSymbol
	// crossed: the new declaration was another one before, for instance an
	// overload, or the function of which the old one was a copy.
	crossed
)

// agrees reports whether a line may be followed from one to the other.
func (r relation) agrees() bool { return r == unknownSymbol || r == sameSymbol }

// sameName compares the last parts of two names; "" equals nothing.
func sameName(a, b string) bool {
	a, b = baseName(a), baseName(b)
	return a != "" && a == b
}

// relate compares the declarations around old line o of f and new line n of g.
func (m *Mapper) relate(f *changed, o int, g *changed, n int) relation {
	olds, news := m.declared(f.old), m.declared(g.new)
	a, b := olds.around(o), news.around(n)
	if a < 0 || b < 0 {
		return unknownSymbol
	}
	if f == g {
		if h := f.follow(olds.nameLines[a]); h.line == news.nameLines[b] && h.sim >= pairedFloor {
			return sameSymbol
		}
	}
	if g.old != nil {
		was := g.before(news.nameLines[b])
		if c, ok := m.declared(g.old).named[was]; ok && (f != g || c != a) {
			return crossed
		}
	}
	if sameName(olds.list[a].Name, news.list[b].Name) {
		return sameSymbol
	}
	return otherSymbol
}

// declared returns the indexed declarations of a version.
func (m *Mapper) declared(t *text) *declared {
	if t.decls == nil {
		t.decls = declare(t, m.symbols(t.path, t.contents()))
	}
	return t.decls
}
