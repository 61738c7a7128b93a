package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strconv"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// killCommand is the command "killat" of a scenario:
//
//	killat N COMMAND...
//
// It runs a command and kills it, with SIGKILL, when it sends its N-th request
// to the model; the request is not passed on. A command that ends before is an
// error.
func killCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: killat N COMMAND...")
	}
	n, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	model, err := url.Parse(ts.Getenv("OPENAI_BASE_URL"))
	ts.Check(err)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: model.Scheme, Host: model.Host})
	reached, over := make(chan struct{}), make(chan struct{})
	var count atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch i := count.Add(1); {
		case i < n:
			proxy.ServeHTTP(w, r)
			return
		case i == n:
			close(reached)
		}
		<-over
	}))
	defer server.Close()
	defer close(over)

	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(environ(ts), "OPENAI_BASE_URL="+server.URL+model.Path)
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-reached:
		ts.Check(cmd.Process.Kill())
		<-ended
	case err := <-ended:
		ts.Fatalf("killat: the command ended (%v) after %d requests", err, count.Load())
	}
}

// environ is the environment that a command of the scenario has.
func environ(ts *testscript.TestScript) []string {
	var out []string
	for _, name := range []string{
		"PATH", "HOME", "TMPDIR", "OPENAI_API_KEY", "CREV_MODEL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL",
	} {
		out = append(out, name+"="+ts.Getenv(name))
	}
	return out
}
