package crevtest

import (
	"strconv"
	"strings"
	"time"
)

// Address ties an address to an account, as a person does in their settings.
// LOGIN@users.noreply.github.com is tied to each account from the start.
func (g *GitHub) Address(login, email string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.account(login)
	a.emails = append(a.emails, strings.ToLower(email))
}

// loginOf is the account that an address is tied to, "" for none.
func (g *GitHub) loginOf(email string) string {
	email = strings.ToLower(email)
	if login, ok := strings.CutSuffix(email, "@users.noreply.github.com"); ok && g.accounts[login] != nil {
		return login
	}
	for _, login := range sortedKeys(g.accounts) {
		for _, e := range g.accounts[login].emails {
			if e == email {
				return login
			}
		}
	}
	return ""
}

// listCommits lists the commits of the default branch, newest first; of one
// account where the query names it.
func (c *call) listCommits() *reply {
	out, err := c.g.git.git("log", "--format=%H%x00%an%x00%ae%x00%at", "refs/heads/"+c.g.DefaultBranch)
	if err != nil {
		return c.g.broken(c, err)
	}
	var found [][]string
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "\x00")
		if want := c.query.Get("author"); want == "" || strings.EqualFold(c.g.loginOf(f[2]), want) {
			found = append(found, f)
		}
	}
	var broken error
	r := page(c, found, func(f []string) any {
		o, err := c.g.example("repos.list-commits.response.200.default")
		if err != nil {
			broken = err
			return nil
		}
		seconds, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			broken = err
			return nil
		}
		o["sha"], o["url"], o["html_url"] = f[0], c.g.api("commits", f[0]), c.g.html("commit", f[0])
		commit := o["commit"].(object)
		commit["author"] = object{"name": f[1], "email": f[2], "date": stamp(time.Unix(seconds, 0))}
		o["author"] = nil
		if login := c.g.loginOf(f[2]); login != "" {
			o["author"] = c.g.user(login)
		}
		return o
	})
	if broken != nil {
		return c.g.broken(c, broken)
	}
	return r
}
