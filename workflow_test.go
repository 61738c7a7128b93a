package crev_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// workflow is what these tests need of a workflow file.
type workflow struct {
	name string
	text string
	On   map[string]any `yaml:"on"`
	// Permissions is what a job gets that asks for nothing.
	Permissions map[string]string `yaml:"permissions"`
	Concurrency any               `yaml:"concurrency"`
	Jobs        map[string]job    `yaml:"jobs"`
}

type job struct {
	Timeout     int               `yaml:"timeout-minutes"`
	Permissions map[string]string `yaml:"permissions"`
	Steps       []step            `yaml:"steps"`
}

type step struct {
	ID    string            `yaml:"id"`
	Uses  string            `yaml:"uses"`
	Run   string            `yaml:"run"`
	Shell string            `yaml:"shell"`
	With  map[string]any    `yaml:"with"`
	Env   map[string]string `yaml:"env"`
}

// action is what these tests need of an action.yml.
type action struct {
	Inputs map[string]struct {
		Description string `yaml:"description"`
		Default     string `yaml:"default"`
		Required    bool   `yaml:"required"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Description string `yaml:"description"`
		Value       string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string `yaml:"using"`
		Image string `yaml:"image"`
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

func decode(t *testing.T, name string, into any) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(text)
}

func workflows(t *testing.T) []workflow {
	t.Helper()
	var out []workflow
	for _, pattern := range []string{".github/workflows/*.yml", "examples/workflows/*.yml"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no file matches %s: %v", pattern, err)
		}
		for _, name := range names {
			w := workflow{name: filepath.ToSlash(name)}
			w.text = decode(t, name, &w)
			out = append(out, w)
		}
	}
	return out
}

// unreleased stands in the examples where the commit of a release goes. Only a
// commit after the release can name it, so the examples at a release name none.
const unreleased = "crev-ratchet/crev@0000000000000000000000000000000000000000 # put the commit of a release here"

var (
	usesLine = regexp.MustCompile(`^\s*(?:- )?uses:\s*(.*?)\s*$`)
	pinned   = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

func TestActionsArePinned(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	files := append(workflows(t), workflow{name: "action.yml", text: string(text)})
	for _, w := range files {
		for i, line := range strings.Split(w.text, "\n") {
			m := usesLine.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			switch {
			case pinned.MatchString(m[1]) && !strings.Contains(m[1], strings.Repeat("0", 40)):
			case m[1] == unreleased && strings.HasPrefix(w.name, "examples/"):
			case strings.HasPrefix(m[1], "./") && strings.HasPrefix(w.name, ".github/"):
			default:
				t.Errorf("%s:%d: pin %q as OWNER/NAME@40-HEX # vX.Y.Z", w.name, i+1, m[1])
			}
		}
	}
}

func TestWorkflowsGiveLittle(t *testing.T) {
	t.Parallel()
	for _, w := range workflows(t) {
		if want := map[string]string{"contents": "read"}; !cmp.Equal(w.Permissions, want) {
			t.Errorf("%s: permissions are %v at the top, want %v; give a job what it needs more", w.name, w.Permissions, want)
		}
		if w.Concurrency == nil {
			t.Errorf("%s: no concurrency group", w.name)
		}
		if _, ok := w.On["pull_request_target"]; ok {
			t.Errorf("%s: pull_request_target has secrets for the code of strangers", w.name)
		}
		for name, j := range w.Jobs {
			if j.Timeout == 0 {
				t.Errorf("%s: job %s has no timeout-minutes", w.name, name)
			}
			for _, s := range j.Steps {
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
					t.Errorf("%s: job %s leaves a token in the checkout; set persist-credentials: false", w.name, name)
				}
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: job %s puts an expression into a shell: %q; pass it in env", w.name, name, s.Run)
				}
			}
		}
	}
}

func TestGateHasNothingToSteal(t *testing.T) {
	t.Parallel()
	for _, w := range workflows(t) {
		if filepath.Base(w.name) != "gate.yml" {
			continue
		}
		if got, want := slices.Sorted(maps.Keys(w.On)), []string{"merge_group", "pull_request"}; !slices.Equal(got, want) {
			t.Errorf("%s runs on %v, want %v: a skipped job of a required name counts as passed", w.name, got, want)
		}
		if strings.Contains(w.text, "secrets.") || strings.Contains(w.text, ": write") {
			t.Errorf("%s has a secret or a write permission", w.name)
		}
	}
}

// TestFanOutGivesLittle: of the jobs of a matrix only the last one may write, and
// the first one has no key. What one uploads, the others find.
func TestFanOutGivesLittle(t *testing.T) {
	t.Parallel()
	var w workflow
	decode(t, "examples/workflows/fan-out.yml", &w)
	const folder = "${{ runner.temp }}/crev-session"
	models := map[any]bool{}
	for _, want := range []struct {
		job, mode   string
		key, writes bool
		// downloads and uploads are artifacts of the session.
		downloads, uploads []string
	}{
		{"plan", "plan", false, false, nil, []string{"crev-plan"}},
		{"batch", "batch", true, false, []string{"crev-plan"}, []string{"crev-batch-${{ matrix.batch }}"}},
		{"collect", "collect", true, true, []string{"crev-plan", "crev-batch-*"}, nil},
	} {
		j := w.Jobs[want.job]
		if writes := len(j.Permissions) > 0; writes != want.writes {
			t.Errorf("job %s asks for the permissions %v, want some: %v", want.job, j.Permissions, want.writes)
		}
		var downloads, uploads []string
		for _, s := range j.Steps {
			path := strings.TrimSpace(fmt.Sprint(s.With["path"]))
			name, ok := s.With["name"].(string)
			if !ok {
				name = fmt.Sprint(s.With["pattern"])
			}
			switch {
			case strings.HasPrefix(s.Uses, "crev-ratchet/crev@"):
				if s.With["mode"] != want.mode || (s.With["api_key"] != nil) != want.key {
					t.Errorf("job %s runs crev with %v, want mode %s and a key: %v", want.job, s.With, want.mode, want.key)
				}
				models[s.With["model"]] = true
			case strings.HasPrefix(s.Uses, "actions/download-artifact@") && path == folder:
				downloads = append(downloads, name)
			case strings.HasPrefix(s.Uses, "actions/upload-artifact@") && strings.HasPrefix(path, folder):
				uploads = append(uploads, name)
				if s.With["overwrite"] != true {
					t.Errorf("job %s cannot send %s again when it is run again; set overwrite", want.job, name)
				}
			}
		}
		if !slices.Equal(downloads, want.downloads) || !slices.Equal(uploads, want.uploads) {
			t.Errorf("job %s takes %q and sends %q, want %q and %q", want.job, downloads, uploads, want.downloads, want.uploads)
		}
	}
	if len(models) != 1 {
		t.Errorf("the jobs name the models %v; with another one the plan is another", models)
	}
}

// TestKeysStayFromHead: the job of this project that has the key runs the crev
// of the base commit, not the one that a pull request brings.
func TestKeysStayFromHead(t *testing.T) {
	t.Parallel()
	for _, w := range workflows(t) {
		if !strings.HasPrefix(w.name, ".github/") {
			continue
		}
		for name, j := range w.Jobs {
			keyed := slices.ContainsFunc(j.Steps, func(s step) bool {
				return strings.Contains(fmt.Sprint(s.With, s.Env), "secrets.")
			})
			for _, s := range j.Steps {
				if keyed && (s.Run != "" || strings.HasPrefix(s.Uses, "./") && s.Uses != "./trusted") {
					t.Errorf("%s: job %s has a key and runs %s%s of the pull request", w.name, name, s.Uses, s.Run)
				}
			}
		}
	}
}

func TestActionShapesAgree(t *testing.T) {
	t.Parallel()
	var root, container action
	decode(t, "action.yml", &root)
	decode(t, "docker/action.yml", &container)

	inputs := []string{"api_key", "base_url", "batch", "github_token", "ledger_mode", "ledger_token", "mode", "model", "session"}
	if got := slices.Sorted(maps.Keys(root.Inputs)); !slices.Equal(got, inputs) {
		t.Errorf("action.yml takes %v, want %v", got, inputs)
	}
	if diff := cmp.Diff(root.Inputs, container.Inputs); diff != "" {
		t.Errorf("inputs of action.yml (-) and docker/action.yml (+):\n%s", diff)
	}
	outputs := []string{"batches", "blocked", "conclusion", "new", "open"}
	for name, a := range map[string]action{"action.yml": root, "docker/action.yml": container} {
		if got := slices.Sorted(maps.Keys(a.Outputs)); !slices.Equal(got, outputs) {
			t.Errorf("%s gives %v, want %v", name, got, outputs)
		}
	}

	// The runner gives a composite action no INPUT_ variables.
	i := slices.IndexFunc(root.Runs.Steps, func(s step) bool { return s.ID == "crev" })
	if i < 0 {
		t.Fatal("action.yml has no step with the id crev")
	}
	for _, name := range inputs {
		if got, want := root.Runs.Steps[i].Env["INPUT_"+strings.ToUpper(name)], "${{ inputs."+name+" }}"; got != want {
			t.Errorf("action.yml: INPUT_%s is %q, want %q", strings.ToUpper(name), got, want)
		}
	}
	for name, o := range root.Outputs {
		if want := "${{ steps.crev.outputs." + name + " }}"; o.Value != want {
			t.Errorf("action.yml: output %s is %q, want %q", name, o.Value, want)
		}
	}
	for _, s := range root.Runs.Steps {
		if s.Uses == "" && s.Shell != "bash" || strings.Contains(s.Run, "${{") {
			t.Errorf("action.yml: step %q: wants shell bash and no expression in it", s.Run)
		}
	}
	if container.Runs.Using != "docker" || container.Runs.Image != "../Dockerfile" {
		t.Errorf("docker/action.yml runs %+v", container.Runs)
	}
}
