package crevtest

import (
	"fmt"
	"strings"
)

// Show prints what is on GitHub as text that does not change from run to run:
// prs, files (what a pull request changes), refs, reviews, threads, comments, checks, statuses or requests. n is a
// pull request, or 0 for all. Commits are given by their first 12 digits.
func (g *GitHub) Show(what string, n int) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	pulls := g.pulls
	if n != 0 {
		p, err := g.pull(n)
		if err != nil {
			return "", err
		}
		pulls = []*pull{p}
	}
	var b strings.Builder
	switch what {
	case "prs":
		for _, p := range pulls {
			g.showPull(&b, p)
		}
	case "files":
		for _, p := range pulls {
			files, err := g.git.diff(g.git.mergeBase(p.baseSHA, p.headSHA), p.headSHA, 3)
			if err != nil {
				return "", err
			}
			for _, f := range files {
				fmt.Fprintf(&b, "#%d %s %s\n", p.number, f.status, f.path)
			}
		}
	case "refs":
		out, err := g.git.git("for-each-ref", "--format=%(refname) %(objectname)")
		if err != nil {
			return "", err
		}
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			ref, sha, _ := strings.Cut(line, " ")
			fmt.Fprintf(&b, "%s %.12s\n", ref, sha)
		}
	case "reviews":
		for _, p := range pulls {
			for _, r := range p.reviews {
				// The answer to a comment is a review without a body.
				if r.body != "" {
					fmt.Fprintf(&b, "== review %d of #%d by %s at %.12s\n%s", r.id, p.number, r.author, r.commit, block(r.body))
				}
			}
		}
	case "threads":
		for _, p := range pulls {
			for _, t := range p.threads {
				showThread(&b, t)
			}
		}
	case "comments":
		for _, p := range pulls {
			for _, m := range p.comments {
				showComment(&b, "==", m)
			}
		}
	case "checks":
		for _, k := range g.checks {
			if n == 0 || k.sha == pulls[0].headSHA {
				showCheck(&b, k)
			}
		}
	case "statuses":
		for _, s := range g.statuses {
			fmt.Fprintf(&b, "%s %s at %.12s: %s\n", s.context, s.state, s.sha, s.description)
		}
	case "requests":
		for _, r := range g.requests {
			fmt.Fprintf(&b, "%s %d", r.Operation, r.Status)
			if r.Fault != "" {
				fmt.Fprintf(&b, " (%s)", r.Fault)
			}
			b.WriteByte('\n')
		}
	default:
		return "", fmt.Errorf("want prs, files, refs, reviews, threads, comments, checks, statuses or requests, not %q", what)
	}
	return b.String(), nil
}

func (g *GitHub) showPull(b *strings.Builder, p *pull) {
	state := p.state
	if p.merged {
		state = "merged"
	}
	if p.draft {
		state += " draft"
	}
	if p.state == "open" && p.mergeSHA == "" {
		state += " with a conflict"
	}
	from := p.headRef
	if g.isFork(p) {
		from = orElse(p.headRepo, "(deleted)") + ":" + from
	}
	fmt.Fprintf(b, "== #%d %s: %s\n%s -> %s by %s\n%s", p.number, state, p.title, from, p.baseRef, p.author, block(p.body))
}

func showThread(b *strings.Builder, t *thread) {
	where := t.path
	switch {
	case t.file:
		where += " (file)"
	case t.outdated:
		where += fmt.Sprintf(":%d %s outdated", t.original.line, t.side)
	case t.start != 0:
		where += fmt.Sprintf(":%d-%d %s", t.start, t.line, t.side)
	default:
		where += fmt.Sprintf(":%d %s", t.line, t.side)
	}
	state := "open"
	if t.resolved {
		state = "resolved by " + t.resolvedBy
	}
	if t.hidden {
		state = "invisible"
	}
	fmt.Fprintf(b, "== thread on #%d %s, %s\n", t.pull.number, where, state)
	for _, m := range t.comments {
		showComment(b, "--", m)
	}
}

func showComment(b *strings.Builder, mark string, m *comment) {
	fmt.Fprintf(b, "%s comment %d by %s", mark, m.id, m.author)
	if m.edited {
		b.WriteString(" (edited)")
	}
	if m.minimized != "" {
		b.WriteString(" (hidden as " + strings.ToLower(m.minimized) + ")")
	}
	for _, r := range m.reactions {
		fmt.Fprintf(b, " [%s %s]", r.content, r.by)
	}
	b.WriteString("\n" + block(m.body))
}

func showCheck(b *strings.Builder, k *checkRun) {
	fmt.Fprintf(b, "== check %s: %s %s at %.12s\n%s\n%s%s", k.name, k.status, k.conclusion, k.sha, k.title, block(k.summary), block(k.text))
	for _, a := range k.annotations {
		fmt.Fprintf(b, "%v %v:%v: %v\n", a["annotation_level"], a["path"], a["start_line"], a["message"])
	}
}

// block ends a text with a line end, if there is any.
func block(s string) string {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return ""
	}
	return s + "\n"
}
