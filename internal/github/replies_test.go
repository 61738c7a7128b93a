package github_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

// talk makes a thread of crev's with two replies, a thread of a person and two
// comments in the conversation.
func (w *world) talk(c *github.Client) github.Placed {
	w.t.Helper()
	placed := w.post(c, "D-1")
	for _, say := range []func() (int64, error){
		func() (int64, error) { return w.Reply("D-1", "omar", "This is intended.") },
		func() (int64, error) { return w.Reply("D-1", "lint[bot]", "beep") },
		func() (int64, error) { return w.ReviewComment(w.pr, "maria", "app.go", 40, "Too long.") },
		func() (int64, error) { return w.Comment(w.pr, "maria", "@crev remember that.") },
		func() (int64, error) { return w.Comment(w.pr, "omar", "Thanks.") },
	} {
		if _, err := say(); err != nil {
			w.t.Fatal(err)
		}
	}
	return placed
}

func TestRepliesSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	root := w.talk(c).CommentID

	got, err := c.RepliesSince(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(id int64, author, typ, body string, line int, root int64) github.Reply {
		return github.Reply{ID: id, PR: w.pr, Review: true, Root: root, Body: body, Author: author, AuthorType: typ,
			Path: "app.go", Line: line, Commit: w.head}
	}
	said := func(id int64, author, body string) github.Reply {
		return github.Reply{ID: id, PR: w.pr, Body: body, Author: author, AuthorType: "User"}
	}
	want := []github.Reply{
		at(root, crevtest.ActionsBot, "Bot", "Look at this.\n\n"+marker("D-1"), 10, root),
		at(1002, "omar", "User", "This is intended.", 10, root),
		at(1003, "lint[bot]", "Bot", "beep", 10, root),
		at(1004, "maria", "User", "Too long.", 40, 1004),
		said(2001, "maria", "@crev remember that."),
		said(2002, "omar", "Thanks."),
	}
	ignore := cmp.Options{cmpopts.IgnoreTypes(time.Time{}), cmpopts.IgnoreFields(github.Reply{}, "URL")}
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("RepliesSince (-want +got):\n%s", diff)
	}
	for _, r := range got {
		if wantBot := r.AuthorType == "Bot"; r.IsBot() != wantBot {
			t.Errorf("IsBot() of %s = %v, want %v", r.Author, r.IsBot(), wantBot)
		}
		if r.URL == "" || r.UpdatedAt.IsZero() {
			t.Errorf("comment %d lacks an address or a time: %+v", r.ID, r)
		}
	}
}

// A poll sees what was edited, not what was deleted, and nothing older than its
// cursor.
func TestRepliesSinceCursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	w.talk(c)
	all, err := c.RepliesSince(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	cursor := all[len(all)-1].UpdatedAt.Add(time.Second)
	if err := w.Edit("This is intended.", "This is a mistake."); err != nil {
		t.Fatal(err)
	}
	if err := w.Delete("Thanks."); err != nil {
		t.Fatal(err)
	}
	w.Leave("maria")

	changed, err := c.RepliesSince(t.Context(), cursor)
	if err != nil {
		t.Fatal(err)
	}
	if len(changed) != 1 || changed[0].Body != "This is a mistake." || !changed[0].UpdatedAt.After(changed[0].CreatedAt) {
		t.Errorf("after an edit and a deletion: %+v, want the edited reply alone", changed)
	}
	all, err = c.RepliesSince(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var bodies, authors []string
	for _, r := range all {
		bodies, authors = append(bodies, r.Body), append(authors, r.Author)
	}
	if diff := cmp.Diff([]string{"beep", "Too long.", "@crev remember that.", "This is a mistake."}, bodies[1:]); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if authors[2] != "ghost" {
		t.Errorf("the comment of a deleted account is by %q, want ghost", authors[2])
	}
}

func TestSayOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultCut, Match: "POST .*/issues/1/comments", Times: 1})
	first, err := c.Say(t.Context(), w.pr, "Noted.")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Comments(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].ID != first {
		t.Errorf("after an answer that was lost: %d comments, want the one with id %d", len(all), first)
	}
}
