package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

func TestFaultsThatPass(t *testing.T) {
	t.Parallel()
	second, minute := time.Second, time.Minute
	twice := func(rule crevtest.Rule) crevtest.Script {
		rule.Nth = 1
		again := rule
		return crevtest.Script{Rules: []crevtest.Rule{rule, again, {Reply: fit}}}
	}
	at := "Mon, 30 Nov 2026 12:01:00 GMT" // a minute after the clock starts
	tests := map[string]struct {
		script crevtest.Script
		modes  []crevtest.Mode
		slept  []time.Duration
	}{
		"Retry-After above a minute": {always(crevtest.Rule{Reply: fit}), []crevtest.Mode{crevtest.RetryAfter}, []time.Duration{2 * minute}},
		"HTML 502":                   {always(crevtest.Rule{Reply: fit}), []crevtest.Mode{crevtest.HTML502}, []time.Duration{second}},
		"connection cut":             {always(crevtest.Rule{Reply: fit}), []crevtest.Mode{crevtest.CutConnection}, []time.Duration{second}},
		"503 twice":                  {twice(crevtest.Rule{Status: 503, Body: "overloaded"}), nil, []time.Duration{second, 2 * second}},
		"408":                        {twice(crevtest.Rule{Status: 408}), nil, []time.Duration{second, 2 * second}},
		"409":                        {twice(crevtest.Rule{Status: 409}), nil, []time.Duration{second, 2 * second}},
		"Retry-After-Ms": {twice(crevtest.Rule{Status: 429, Headers: map[string]string{"Retry-After-Ms": "250"}}),
			nil, []time.Duration{second / 4, second / 4}},
		"Retry-After as a date": {twice(crevtest.Rule{Status: 503, Headers: map[string]string{"Retry-After": at}}),
			nil, []time.Duration{minute, 0}},
		"error inside of a 200": {twice(crevtest.Rule{Status: 200, Body: `{"error":{"code":502,"message":"upstream"}}`}),
			nil, []time.Duration{second, 2 * second}},
		"half of a body": {twice(crevtest.Rule{Status: 200, Body: `{"choices":[{"mess`}), nil, []time.Duration{second, 2 * second}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.script, nil, tt.modes...)
			reply := wantReply(t, r, ask("diff"))
			if diff := cmp.Diff(tt.slept, r.clock.slept); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			if want := len(tt.slept) + 1; reply.Requests != want {
				t.Errorf("Requests = %d, want %d", reply.Requests, want)
			}
		})
	}
}

func TestFaultsThatStay(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) crevtest.Script {
		return always(crevtest.Rule{Status: code, Body: body})
	}
	tests := map[string]struct {
		script   crevtest.Script
		failure  model.Failure
		words    []string
		requests int
	}{
		"wrong key":        {status(401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`), model.Unauthorized, []string{"OPENAI_API_KEY"}, 1},
		"no permission":    {status(403, `{"error":{"message":"not allowed"}}`), model.Unauthorized, []string{"not allowed", "api_key"}, 1},
		"no credit":        {status(402, `{"error":{"message":"Insufficient credits"}}`), model.Unauthorized, []string{"quota"}, 1},
		"no quota":         {status(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`), model.Unauthorized, []string{"quota", "add credit"}, 1},
		"no such model":    {status(404, `{"error":{"message":"The model scripted does not exist","code":"model_not_found"}}`), model.Unauthorized, []string{`"scripted"`, "CREV_MODEL"}, 1},
		"model in a 400":   {status(400, `{"error":{"message":"scripted is not a valid model ID"}}`), model.Unauthorized, []string{"CREV_MODEL"}, 1},
		"wrong path":       {status(404, `404 page not found`), model.Unavailable, []string{"/v1/chat/completions", "ends in /v1"}, 1},
		"gone":             {status(410, `{"error":{"message":"retired"}}`), model.Unavailable, []string{"retired"}, 1},
		"too long":         {status(400, `{"error":{"message":"too many","code":"context_length_exceeded"}}`), model.TooLong, []string{"batch.max_lines"}, 1},
		"body too large":   {status(413, ``), model.TooLong, nil, 1},
		"policy":           {status(400, `{"error":{"message":"filtered","code":"content_filter"}}`), model.Refused, []string{"policy"}, 1},
		"flagged":          {status(403, `{"error":{"message":"Your input was flagged","code":403}}`), model.Refused, []string{"flagged"}, 1},
		"list of errors":   {status(400, `[{"error":{"code":400,"message":"API key expired","status":"INVALID_ARGUMENT"}}]`), model.Unavailable, []string{"API key expired"}, 1},
		"error as text":    {status(418, `{"error":"short and stout"}`), model.Unavailable, []string{"short and stout"}, 1},
		"detail":           {status(400, `{"detail":"unhappy"}`), model.Unavailable, []string{"unhappy"}, 1},
		"login page":       {always(crevtest.Rule{Status: 200, Body: "<html><title>Sign in</title>", Headers: map[string]string{"Content-Type": "text/html"}}), model.Unavailable, []string{"text/html", "Sign in"}, 1},
		"redirect":         {always(crevtest.Rule{Status: 307, Headers: map[string]string{"Location": "https://elsewhere.example/v1"}}), model.Unavailable, []string{"elsewhere.example", "base_url"}, 1},
		"500 for ever":     {status(500, `{"error":{"message":"oops"}}`), model.Unavailable, []string{"oops", "gave up after 3 attempts"}, 3},
		"useless to try":   {always(crevtest.Rule{Status: 500, Body: `{"error":{"message":"oops"}}`, Headers: map[string]string{"x-should-retry": "false"}}), model.Unavailable, []string{"oops"}, 1},
		"refusal":          {always(crevtest.Rule{Refusal: "I cannot help with that."}), model.Refused, []string{"I cannot help"}, 1},
		"content filter":   {always(crevtest.Rule{Content: new("{"), Finish: "content_filter"}), model.Refused, []string{"content filter"}, 1},
		"cut reply":        {always(crevtest.Rule{Content: new(`{"findings":["a`), Finish: "length"}), model.TooLong, []string{"cut", "batch.max_lines"}, 1},
		"nothing, twice":   {always(crevtest.Rule{Content: new("")}), model.Refused, []string{"nothing"}, 2},
		"only white space": {always(crevtest.Rule{Content: new(" \n ")}), model.Refused, []string{"nothing"}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.script, func(c *openai.Config) { c.MaxRetries = 2 })
			failed := wantFailure(t, r, ask("diff"), tt.failure, tt.words...)
			if failed.Requests != tt.requests || len(r.server.Requests()) != tt.requests {
				t.Errorf("Requests = %d, the server saw %d, want %d", failed.Requests, len(r.server.Requests()), tt.requests)
			}
			if strings.Contains(failed.Error(), "\n") {
				t.Errorf("the error has more than one line: %q", failed.Error())
			}
		})
	}
}

func TestReplyThatDoesNotFitIsRepairedOnce(t *testing.T) {
	t.Parallel()
	script := crevtest.Script{Rules: []crevtest.Rule{
		{Nth: 1, Reply: map[string]any{"findings": []any{1}, "approve": true}},
		{Reply: fit},
	}}
	r := newRig(t, script, nil, crevtest.NoSchema)
	reply := wantReply(t, r, ask("diff"))
	if reply.Requests != 3 { // json_schema is refused, then two turns
		t.Errorf("Requests = %d, want 3", reply.Requests)
	}
	repair := r.server.Requests()[2].Text
	for _, want := range []string{"/findings/0", "approve", "Answer again"} {
		if !strings.Contains(repair, want) {
			t.Errorf("the repair turn does not say %q: %s", want, repair)
		}
	}
	if got := r.Rung(""); got != openai.ForcedTool {
		t.Errorf("Rung() = %v, want %v: one slip is no reason to leave", got, openai.ForcedTool)
	}
}

func TestReplyThatNeverFits(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Content: new(`I approve. {"approve":true,"merge":true}`)}), nil)
	failed := wantFailure(t, r, ask("diff"), model.BadOutput, "findings")
	// Two turns on each of the four rungs.
	if failed.Requests != 8 || failed.Usage.Completion == 0 {
		t.Errorf("Requests = %d, Usage = %+v; want 8 and what they cost", failed.Requests, failed.Usage)
	}
}

func TestRequestWithASchemaThatIsNone(t *testing.T) {
	t.Parallel()
	r := newRig(t, crevtest.Script{}, nil)
	req := ask("diff")
	req.Schema.JSON = []byte(`{"type": 7}`)
	wantFailure(t, r, req, model.BadOutput, "schema review")
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	t.Run("a wait that the run has no time for", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.RetryAfter)
		// The deadline is in the rig's time; the context's own timer is far.
		r2, err := openai.New(openai.Config{BaseURL: r.server.URL, Key: "key", Model: "m", Sleep: r.clock.Sleep})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = r2.Complete(ctx, ask("diff"))
		if !errors.Is(err, &model.Error{Failure: model.Unavailable}) || !strings.Contains(err.Error(), "wait 2m0s") {
			t.Errorf("Complete() = %v, want unavailable: asks to wait 2m0s", err)
		}
		if len(r.clock.slept) != 0 {
			t.Errorf("slept %v, want to give up at once", r.clock.slept)
		}
	})
	t.Run("cancelled before", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, crevtest.Script{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Complete(ctx, ask("diff")); !errors.Is(err, context.Canceled) {
			t.Errorf("Complete() = %v, want context.Canceled", err)
		}
		if n := len(r.server.Requests()); n != 0 {
			t.Errorf("%d requests after the end", n)
		}
	})
	t.Run("cancelled while the model thinks", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			// Only once the body is read does a server notice that its client
			// has gone.
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			cancel()
			<-r.Context().Done()
		}))
		t.Cleanup(server.Close)
		c, err := openai.New(openai.Config{BaseURL: server.URL, Key: "key", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Complete(ctx, ask("diff")); !errors.Is(err, context.Canceled) {
			t.Errorf("Complete() = %v, want context.Canceled", err)
		}
	})
	t.Run("cancelled while waiting", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		r := newRig(t, always(crevtest.Rule{Status: 503}), func(c *openai.Config) {
			c.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
		})
		if _, err := r.Complete(ctx, ask("diff")); !errors.Is(err, context.Canceled) {
			t.Errorf("Complete() = %v, want context.Canceled", err)
		}
	})
}

func TestBudgetIsAskedBeforeEachRequest(t *testing.T) {
	t.Parallel()
	spent := errors.New("400000 tokens are spent")
	var asked []int
	r := newRig(t, always(crevtest.Rule{Status: 503}), nil)
	req := ask("diff")
	req.MaxTokens = 1000
	req.Admit = func(tokens int) error {
		asked = append(asked, tokens)
		if len(asked) == 3 {
			return spent
		}
		return nil
	}
	failed := wantFailure(t, r, req, model.OverBudget, "400000 tokens are spent")
	if !errors.Is(failed, spent) {
		t.Errorf("errors.Is(%v, the budget's error) = false", failed)
	}
	if n := len(r.server.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	if asked[0] <= 1000 {
		t.Errorf("asked for %d tokens, want the prompt and the reply's 1000", asked[0])
	}
}

func TestNoSecretIsShown(t *testing.T) {
	t.Parallel()
	const other = "a-password-of-the-proxy-77"
	key := crevtest.ModelKey
	echo := fmt.Sprintf(`key %s, half of it %s, other %s, header Bearer abcdefghijklmnop, stranger sk-proj-0123456789abcdef and ghs_0123456789abcdefghij`,
		key, key[7:], other)
	for _, code := range []int{400, 401, 403, 404, 429, 500, 502} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			body := fmt.Sprintf(`{"error":{"message":%q}}`, echo)
			r := newRig(t, always(crevtest.Rule{Status: code, Body: body}), func(c *openai.Config) {
				c.Secrets = []string{other}
				c.MaxRetries = 1
			})
			_, err := r.Complete(t.Context(), ask("diff"))
			if err == nil {
				t.Fatal("Complete() succeeded")
			}
			shown := err.Error() + r.log.String()
			for _, secret := range []string{key, key[7:], other, "abcdefghijklmnop", "sk-proj-0123456789abcdef", "ghs_0123456789abcdefghij"} {
				if strings.Contains(shown, secret) {
					t.Errorf("%q is shown in %s", secret, shown)
				}
			}
		})
	}
}

func TestNetworkFaultShowsNoPassword(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	host := strings.TrimPrefix(server.URL, "http://")
	server.Close()
	clock := &clock{}
	c, err := openai.New(openai.Config{
		BaseURL: "http://user:hunter2hunter2@" + host + "/v1", Key: "sk-0123456789abcdef", Model: "m",
		Sleep: clock.Sleep, MaxRetries: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Complete(t.Context(), ask("diff"))
	if !errors.Is(err, &model.Error{Failure: model.Unavailable}) || strings.Contains(err.Error(), "hunter2hunter2") {
		t.Errorf("Complete() = %v, want unavailable without the password", err)
	}
}

func TestLongDetailIsCut(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Status: 418, Body: strings.Repeat("päge ", 1<<18)}), nil)
	failed := wantFailure(t, r, ask("diff"), model.Unavailable)
	if n := len([]rune(failed.Detail)); n > 600 {
		t.Errorf("the detail has %d characters", n)
	}
}

// A proxy is the affair of the http.Client that the caller gives.
func TestProxyOfTheCaller(t *testing.T) {
	t.Parallel()
	behind := crevtest.NewModel(t, always(crevtest.Rule{Reply: fit}))
	target, err := url.Parse(strings.TrimSuffix(behind.URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var hosts []string
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		mu.Lock()
		defer mu.Unlock()
		hosts = append(hosts, r.In.URL.Host)
		r.SetURL(target)
	}})
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(at)}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := openai.New(openai.Config{
		BaseURL: "http://models.example/v1", Key: "key", Model: "m",
		HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(t.Context(), ask("diff")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"models.example"}, hosts); diff != "" {
		t.Errorf("hosts asked through the proxy (-want +got):\n%s", diff)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.NoSchema, crevtest.MaxTokensOnly)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			req := ask(fmt.Sprintf("diff %d", i))
			req.MaxTokens = 300
			if _, err := r.Complete(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := r.Rung(""); got != openai.ForcedTool {
		t.Errorf("Rung() = %v, want %v: many refusals at once are one step", got, openai.ForcedTool)
	}
}

// These print or send the Authorization header, or read the environment.
func TestForbiddenCalls(t *testing.T) {
	t.Parallel()
	forbidden := []string{"WithDebug" + "Log", "Dump" + "Request", "Dump" + "Response", "os.Get" + "env", "Lookup" + "Env", "openai-go/" + "azure", "openai.New" + "Client(", "DefaultClient" + "Options"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source files: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			if i := slices.IndexFunc(forbidden, func(w string) bool { return strings.Contains(line, w) }); i >= 0 {
				t.Errorf("%s uses %s: %s", name, forbidden[i], strings.TrimSpace(line))
			}
		}
	}
}
