package crevtest

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The operations on refs and git objects, served from the repository.

func (c *call) getRef() *reply {
	ref := "refs/" + c.params["ref"]
	sha := c.g.git.resolve(ref)
	if sha == "" {
		return notFound()
	}
	return ok(c.g.renderRef(ref, sha))
}

func (g *GitHub) renderRef(ref, sha string) object {
	return object{
		"ref": ref, "node_id": "REF_" + ref, "url": g.api("git", ref),
		"object": object{"type": "commit", "sha": sha, "url": g.api("git/commits", sha)},
	}
}

func (c *call) createRef() *reply {
	var in struct{ Ref, SHA string }
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	switch {
	case !strings.HasPrefix(in.Ref, "refs/") || strings.Count(in.Ref, "/") < 2:
		return refused("Reference name must start with 'refs/' and have at least one more slash")
	case c.g.git.resolve(in.SHA) == "":
		return refused("Object does not exist")
	case c.g.git.resolve(in.Ref) != "":
		return refused("Reference already exists")
	}
	if err := c.g.git.setRef(in.Ref, in.SHA); err != nil {
		return refused("Reference name is not well formed")
	}
	c.g.tick()
	return created(c.g.renderRef(in.Ref, in.SHA))
}

func (c *call) updateRef() *reply {
	var in struct {
		SHA   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	ref := "refs/" + c.params["ref"]
	old := c.g.git.resolve(ref)
	switch {
	case old == "":
		return refused("Reference does not exist")
	case c.g.git.resolve(in.SHA) == "":
		return refused("Object does not exist")
	case !in.Force && c.g.git.mergeBase(old, in.SHA) != old:
		return refused("Update is not a fast forward")
	}
	if err := c.g.git.setRef(ref, in.SHA); err != nil {
		return c.g.broken(c, err)
	}
	if err := c.g.refresh(); err != nil {
		return c.g.broken(c, err)
	}
	return ok(c.g.renderRef(ref, in.SHA))
}

func (c *call) deleteRef() *reply {
	ref := "refs/" + c.params["ref"]
	if c.g.git.resolve(ref) == "" {
		return refused("Reference does not exist")
	}
	if _, err := c.g.git.git("update-ref", "-d", ref); err != nil {
		return c.g.broken(c, err)
	}
	return &reply{status: http.StatusNoContent}
}

func (c *call) getCommit() *reply {
	sha := c.g.git.resolve(c.params["commit_sha"])
	if sha == "" {
		return notFound()
	}
	out, err := c.g.git.git("show", "-s", "--format=%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B", sha)
	if err != nil {
		return c.g.broken(c, err)
	}
	f := strings.Split(out, "\x00")
	person := func(name, email, at string) object {
		sec, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			sec = 0
		}
		return object{"name": name, "email": email, "date": stamp(time.Unix(sec, 0))}
	}
	parents := []any{}
	for _, p := range strings.Fields(f[1]) {
		parents = append(parents, object{"sha": p, "url": c.g.api("git/commits", p), "html_url": c.g.html("commit", p)})
	}
	return ok(object{
		"sha": sha, "node_id": "C_" + sha, "url": c.g.api("git/commits", sha), "html_url": c.g.html("commit", sha),
		"author": person(f[2], f[3], f[4]), "committer": person(f[5], f[6], f[7]),
		"tree":    object{"sha": f[0], "url": c.g.api("git/trees", f[0])},
		"message": strings.TrimSpace(f[8]), "parents": parents,
		"verification": object{
			"verified": true, "reason": "valid", "signature": "signed by this server", "payload": "", "verified_at": nil,
		},
	})
}

func (c *call) getTree() *reply {
	args := []string{"ls-tree", "-z", "-l"}
	if c.query.Get("recursive") != "" {
		args = append(args, "-r", "-t")
	}
	out, err := c.g.git.git(append(args, c.params["tree_sha"])...)
	if err != nil {
		return notFound()
	}
	entries := []any{}
	for _, line := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		meta, path, found := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		if !found || len(fields) != 4 {
			continue
		}
		e := object{"path": path, "mode": fields[0], "type": fields[1], "sha": fields[2]}
		if size, err := strconv.Atoi(fields[3]); err == nil {
			e["size"] = size
		}
		entries = append(entries, e)
	}
	sha, err := c.g.git.git("rev-parse", c.params["tree_sha"]+"^{tree}")
	if err != nil {
		return c.g.broken(c, err)
	}
	return ok(object{"sha": strings.TrimSpace(sha), "url": c.g.api("git/trees", strings.TrimSpace(sha)), "tree": entries, "truncated": false})
}

func (c *call) createBlob() *reply {
	var in struct{ Content, Encoding string }
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if content, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return refused("content is not valid Base64")
		}
	}
	sha, err := c.g.git.runInput(content, nil, "--git-dir="+c.g.git.dir, "hash-object", "-w", "--stdin")
	if err != nil {
		return c.g.broken(c, err)
	}
	sha = strings.TrimSpace(sha)
	return created(object{"sha": sha, "url": c.g.api("git/blobs", sha)})
}

func (c *call) getBlob() *reply {
	sha := c.params["file_sha"]
	content, err := c.g.git.git("cat-file", "blob", sha)
	if err != nil {
		return notFound()
	}
	return ok(object{
		"sha": sha, "node_id": "B_" + sha, "url": c.g.api("git/blobs", sha), "size": len(content),
		"content": base64.StdEncoding.EncodeToString([]byte(content)), "encoding": "base64",
	})
}
