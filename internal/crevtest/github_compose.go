package crevtest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Commits made of parts: a tree, a commit with any parents, and a ref that is
// moved to it.

func (c *call) createTree() *reply {
	var in struct {
		BaseTree string `json:"base_tree"`
		Tree     []struct {
			Path, Mode, Type string
			SHA, Content     *string
		}
	}
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	var info bytes.Buffer
	for _, e := range in.Tree {
		mode, sha := e.Mode, noCommit
		switch {
		case e.Content != nil && e.SHA != nil:
			return refused("Must supply either tree.sha or tree.content, not both")
		case e.Content != nil:
			blob, err := c.g.git.runInput([]byte(*e.Content), nil, "--git-dir="+c.g.git.dir, "hash-object", "-w", "--stdin")
			if err != nil {
				return c.g.broken(c, err)
			}
			sha = strings.TrimSpace(blob)
		case e.SHA != nil:
			if sha = *e.SHA; c.g.git.kind(sha) != "blob" {
				return refused("tree.sha " + sha + " is not a valid blob")
			}
		default:
			mode = "0"
		}
		fmt.Fprintf(&info, "%s %s\t%s\x00", mode, sha, e.Path)
	}
	sha, err := c.g.git.tree(in.BaseTree, info.Bytes())
	if err != nil {
		return refused("base_tree is not a valid tree oid")
	}
	c.params["tree_sha"] = sha
	return created(c.getTree().body)
}

func (c *call) createCommit() *reply {
	var in struct {
		Message, Tree string
		Parents       []string
	}
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	if c.g.git.kind(in.Tree) != "tree" {
		return refused("Tree SHA does not exist")
	}
	args := []string{"commit-tree", in.Tree}
	for _, p := range in.Parents {
		if c.g.git.resolve(p) != p {
			return refused("Parent SHA does not exist or is not a commit object")
		}
		args = append(args, "-p", p)
	}
	env := append(author(c.login(), c.g.tick()), "GIT_DIR="+c.g.git.dir)
	sha, err := c.g.git.runInput([]byte(in.Message), env, args...)
	if err != nil {
		return c.g.broken(c, err)
	}
	c.params["commit_sha"] = strings.TrimSpace(sha)
	return created(c.getCommit().body)
}

// repositoryID is the node id of the repository.
const repositoryID = "R_1"

// updateRefs moves refs, all or none. What GitHub says of a ref that is somewhere
// else is not documented.
func (c *call) updateRefs(in object) (any, error) {
	if c.token.may["contents"] != "write" {
		return nil, &graphQLError{"FORBIDDEN", notAccessible}
	}
	if in["repositoryId"] != repositoryID {
		return nil, &graphQLError{"NOT_FOUND", "Could not resolve to a node with the global id"}
	}
	updates, _ := in["refUpdates"].([]any)
	moves := map[string]string{}
	for _, one := range updates {
		u, _ := one.(object)
		name, _ := u["name"].(string)
		after, _ := u["afterOid"].(string)
		old := c.g.git.resolve(name)
		before, compare := u["beforeOid"].(string)
		switch {
		case !strings.HasPrefix(name, "refs/") || c.g.git.resolve(after) != after:
			return nil, &graphQLError{"UNPROCESSABLE", "Reference update is invalid"}
		case compare && before != orElse(old, noCommit):
			return nil, &graphQLError{"UNPROCESSABLE", "Reference cannot be updated"}
		case u["force"] != true && old != "" && c.g.git.mergeBase(old, after) != old:
			return nil, &graphQLError{"UNPROCESSABLE", "Update is not a fast forward"}
		}
		moves[name] = after
	}
	for _, name := range sortedKeys(moves) {
		if err := c.g.git.setRef(name, moves[name]); err != nil {
			return nil, err
		}
	}
	c.g.tick()
	return &node{typ: "UpdateRefsPayload", fields: map[string]any{"clientMutationId": nil}}, c.g.refresh()
}

// kind is what an object is, "" for none.
func (r *bareRepo) kind(sha string) string {
	out, err := r.git("cat-file", "-t", sha)
	if err != nil || !slices.Contains([]string{"blob", "tree", "commit"}, strings.TrimSpace(out)) {
		return ""
	}
	return strings.TrimSpace(out)
}

// tree writes a tree on top of another, "" for none, from lines for update-index.
func (r *bareRepo) tree(base string, info []byte) (string, error) {
	index, err := os.CreateTemp(r.root, "index-")
	if err != nil {
		return "", err
	}
	index.Close()
	// git refuses an empty file as an index and makes one that is missing.
	os.Remove(index.Name())
	defer os.Remove(index.Name())
	env := []string{"GIT_INDEX_FILE=" + index.Name(), "GIT_DIR=" + r.dir}
	if base != "" {
		if _, err := r.run(env, "read-tree", base); err != nil {
			return "", err
		}
	}
	if _, err := r.runInput(info, env, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	sha, err := r.run(env, "write-tree")
	return strings.TrimSpace(sha), err
}
