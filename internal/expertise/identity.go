package expertise

import (
	"slices"
	"strings"
)

// identity is one address, or one account without an address, after the
// .mailmap.
type identity struct {
	// name is the one on their newest commit.
	name string
	// login is the account, "" if no address told it.
	login string
	bot   bool
	// last is when they last did something, in Unix seconds.
	last int64
}

// directory is all identities, and how to find one.
type directory struct {
	mailmap  mailmap
	all      []identity
	byEmail  map[string]int32
	byLogin  map[string]int32
	together groups
}

// groups joins identities that are one person: a union-find over their
// numbers.
type groups []int32

func (g groups) find(i int32) int32 {
	for g[i] != i {
		g[i] = g[g[i]]
		i = g[i]
	}
	return i
}

// join makes two identities one person, represented by the smaller number.
func (g groups) join(a, b int32) {
	a, b = g.find(a), g.find(b)
	g[max(a, b)] = min(a, b)
}

func newDirectory(m mailmap) *directory {
	return &directory{mailmap: m, byEmail: map[string]int32{}, byLogin: map[string]int32{}}
}

// add returns the identity of somebody a commit names, made if it is new. Two
// addresses with the same account are joined.
func (d *directory) add(raw ident) int32 {
	who := d.mailmap.apply(raw)
	key := addressKey(who)
	at, ok := d.byEmail[key]
	if !ok {
		at = d.grow(identity{})
		d.byEmail[key] = at
	}
	one := &d.all[at]
	one.bot = one.bot || isBot(raw) || isBot(who)
	for _, login := range []string{loginOf(raw.email), loginOf(who.email)} {
		if login == "" {
			continue
		}
		if one.login == "" {
			one.login = login
		}
		key := strings.ToLower(login)
		if known, ok := d.byLogin[key]; ok {
			d.together.join(known, at)
		} else {
			d.byLogin[key] = at
		}
	}
	return at
}

// account returns the identity of a login, made if it is new.
func (d *directory) account(login string) int32 {
	key := strings.ToLower(login)
	at, ok := d.byLogin[key]
	if !ok {
		at = d.grow(identity{name: login, login: login, bot: isBotLogin(login)})
		d.byLogin[key] = at
	}
	return at
}

func (d *directory) grow(one identity) int32 {
	at := int32(len(d.all))
	d.all = append(d.all, one)
	d.together = append(d.together, at)
	return at
}

// seen notes that an identity did something at a moment, under a name.
func (d *directory) seen(at int32, name string, when int64) {
	one := &d.all[at]
	one.last = max(one.last, when)
	if one.name == "" {
		one.name = name
	}
}

// addressKey is what makes two entries of a history one identity: the address;
// where there is no real one, the name with it.
func addressKey(who ident) string {
	email := strings.ToLower(who.email)
	if strings.Contains(email, "@") {
		return email
	}
	return who.name + "\x00" + email
}

// people returns the groups with the persons of a dispute joined to the
// addresses that are known to be theirs, and the group of each, -1 for one
// whom the history does not know.
func (d *directory) people(persons []Person) (groups, []int32) {
	joined := slices.Clone(d.together)
	first := make([]int32, len(persons))
	for i, p := range persons {
		first[i] = -1
		own := make([]int32, 0, len(p.Emails)+1)
		if at, ok := d.byLogin[strings.ToLower(p.Login)]; ok {
			own = append(own, at)
		}
		for _, email := range p.Emails {
			key := addressKey(d.mailmap.apply(ident{email: email}))
			if at, ok := d.byEmail[key]; ok {
				own = append(own, at)
			}
		}
		for _, at := range own {
			if first[i] < 0 {
				first[i] = at
			}
			joined.join(first[i], at)
		}
	}
	for i, at := range first {
		if at >= 0 {
			first[i] = joined.find(at)
		}
	}
	return joined, first
}

// byName returns the groups with everybody joined who commits under the same
// full name. It is good enough to rank people, and not to decide between two:
// anybody can commit under any name.
func (d *directory) byName() groups {
	joined := slices.Clone(d.together)
	named := map[string]int32{}
	for i := range d.all {
		name := fullName(d.all[i].name)
		if name == "" {
			continue
		}
		if at, ok := named[name]; ok {
			joined.join(at, int32(i))
		} else {
			named[name] = int32(i)
		}
	}
	return joined
}

// placeholders are full names that are nobody's.
var placeholders = []string{"your name", "no name", "no author", "(no author)", "unknown author", "john doe", "first last"}

// fullName returns a name to compare with others, "" for one that does not
// tell a person: a single word is borne by many.
func fullName(name string) string {
	words := strings.Fields(strings.ToLower(name))
	name = strings.Join(words, " ")
	if len(words) < 2 || slices.Contains(placeholders, name) {
		return ""
	}
	return name
}
