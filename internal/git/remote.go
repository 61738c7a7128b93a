package git

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Auth is a token for one server. It reaches git through the environment of
// the commands that need it, never through an argument or a file, and only for
// remotes on that server.
type Auth struct {
	// Server is where the token is valid, such as "https://github.com".
	Server string
	// Token is an access token; "" for none.
	Token string
}

// valid reports whether there is a token, for a server reached by https.
func (a Auth) valid() bool { return a.Token != "" && strings.HasPrefix(a.Server, "https://") }

// covers reports whether the token is for the server of a remote URL.
func (a Auth) covers(remote string) bool {
	if !a.valid() {
		return false
	}
	server, err := url.Parse(a.Server)
	if err != nil {
		return false
	}
	u, err := url.Parse(remote)
	return err == nil && u.Scheme == "https" && u.User == nil &&
		strings.EqualFold(u.Host, server.Host) && u.Host != ""
}

// header is the request header that carries the token; GitHub's git server
// takes tokens as the password of x-access-token.
func (a Auth) header() string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+a.Token))
}

// redact takes the token out of text.
func (a Auth) redact(text string) string {
	if a.Token == "" {
		return text
	}
	text = strings.ReplaceAll(text, a.Token, "***")
	return strings.ReplaceAll(text, strings.TrimPrefix(a.header(), "Authorization: Basic "), "***")
}

// readRemotes reads the remotes and whether the clone is partial.
func (r *Repo) readRemotes(ctx context.Context) error {
	r.remotes = map[string]string{}
	out, err := r.run(ctx, command{args: []string{"config", "-z", "--get-regexp",
		`^(remote\..*\.(url|promisor)|extensions\.partialclone)$`}})
	if err != nil {
		if exitStatus(err) == 1 { // none of them is set
			return nil
		}
		return err
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(record, "\n")
		name, isURL := strings.CutSuffix(strings.TrimPrefix(key, "remote."), ".url")
		switch {
		case key == "":
		case key == "extensions.partialclone":
			r.partial, r.promisor = true, value
		case !isURL:
			if value != "false" {
				r.partial = true
				r.promisor = cmp.Or(r.promisor, strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".promisor"))
			}
		case r.remotes[name] == "":
			r.remotes[name] = value
		}
	}
	return nil
}

// remoteSettings are the settings of a command that may contact a server: a
// remote cannot name a program to run, and the token goes to its own server
// alone. The full URL is the most specific key there is, so these win over
// every http setting of the repository, the header that actions/checkout leaves
// behind included: GitHub refuses two of them.
func (r *Repo) remoteSettings() []setting {
	var list []setting
	for _, name := range r.remoteNames() {
		list = append(list, setting{"remote." + name + ".uploadpack", "git-upload-pack"})
		if u := r.remotes[name]; r.auth.covers(u) {
			list = append(list,
				setting{"http." + u + ".sslVerify", "true"},
				setting{"http." + u + ".followRedirects", "false"},
				setting{"http." + u + ".extraHeader", ""},
				setting{"http." + u + ".extraHeader", r.auth.header()})
		}
	}
	return list
}

func (r *Repo) remoteNames() []string {
	names := make([]string, 0, len(r.remotes))
	for name := range r.remotes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// DefaultBranch returns the name of a remote's default branch, without refs/,
// as this clone recorded it; main or master when it did not and the remote has
// that branch here.
func (r *Repo) DefaultBranch(ctx context.Context, remote string) (string, error) {
	if _, ok := r.remotes[remote]; !ok {
		return "", fmt.Errorf("remote %.100q is not configured; add it with git remote add", remote)
	}
	prefix := "refs/remotes/" + remote + "/"
	out, err := r.run(ctx, command{args: []string{"symbolic-ref", "--quiet", prefix + "HEAD"}})
	if err == nil {
		return strings.TrimPrefix(strings.TrimSpace(string(out)), prefix), nil
	}
	if exitStatus(err) != 1 {
		return "", fmt.Errorf("default branch of %s: %w", remote, err)
	}
	for _, name := range []string{"main", "master"} {
		if _, err := r.Resolve(ctx, prefix+name); err == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("default branch of %s: %w; run git remote set-head %s --auto", remote, ErrUnknownRevision, remote)
}

// refspecPattern is what Fetch accepts: a full ref or id, and optionally where
// to keep it. It holds no pattern and nothing that could be an option.
var refspecPattern = regexp.MustCompile(`^\+?(refs/[^\x00-\x20\x7f~^:?*\[\\]+|[0-9a-f]{40}|[0-9a-f]{64})` +
	`(:refs/(crev|remotes)/[^\x00-\x20\x7f~^:?*\[\\]+)?$`)

// Fetch fetches refs from a configured remote, each given in full:
// "refs/pull/7/head", or "+refs/pull/7/head:refs/crev/pull/7/head" to keep it
// under a name. Names can be kept under refs/crev/ and refs/remotes/ only. The
// zero Auth means that of WithAuth. In a shallow clone the fetch is shallow
// too; a full clone stays full.
func (r *Repo) Fetch(ctx context.Context, remote string, refspecs []string, auth Auth) error {
	shallow, err := r.IsShallow(ctx)
	if err != nil {
		return err
	}
	var depth []string
	if shallow {
		depth = []string{"--depth=" + shallowDepth}
	}
	return r.fetch(ctx, remote, refspecs, auth, depth...)
}

func (r *Repo) fetch(ctx context.Context, name string, refspecs []string, auth Auth, flags ...string) error {
	if _, ok := r.remotes[name]; !ok {
		return fmt.Errorf("fetch: remote %.100q is not configured; add it with git remote add", name)
	}
	if len(refspecs) == 0 {
		return fmt.Errorf("fetch from %s: nothing to fetch", name)
	}
	for _, spec := range refspecs {
		if !refspecPattern.MatchString(spec) {
			return fmt.Errorf("fetch from %s: %.200q is not a full ref", name, spec)
		}
	}
	as := r
	if auth != (Auth{}) {
		as = &Repo{dir: r.dir, gitDir: r.gitDir, auth: auth, remotes: r.remotes, partial: r.partial}
	}
	args := []string{"fetch", "--quiet", "--no-progress", "--no-tags",
		"--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-show-forced-updates", "--upload-pack=git-upload-pack"}
	args = append(append(args, flags...), "--end-of-options", name)
	if _, err := as.run(ctx, command{args: append(args, refspecs...), network: true}); err != nil {
		return fmt.Errorf("fetch %s from %s: %w", strings.Join(refspecs, " "), name, err)
	}
	return nil
}
