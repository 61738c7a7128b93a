//go:build unix

package validator

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// benchTree writes a repository of 10,000 files of Go-like text, 4 KiB each, and
// returns its directory. Every hundredth file has one line that a check finds.
func benchTree(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	rnd := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("func return err nil if for range value context request handler store query result name index length token session user order items client config path reader writer buffer")
	for i := range 10_000 {
		var s strings.Builder
		for s.Len() < 4096 {
			s.WriteString("\t" + words[rnd.IntN(len(words))] + "." + words[rnd.IntN(len(words))] + "(" + words[rnd.IntN(len(words))] + ", " + words[rnd.IntN(len(words))] + ")\n")
		}
		if i%100 == 0 {
			fmt.Fprintf(&s, "\tlegacyCall%d(x)\n", i/100%20)
		}
		file := filepath.Join(dir, fmt.Sprintf("pkg%02d/dir%02d/file%04d.go", i%20, i/20%50, i))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(s.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return dir
}

// BenchmarkTwentyPatterns is 20 pattern validators over 10,000 files, beside the
// floor: git grep for the same 20 expressions, in one call and in one call each.
func BenchmarkTwentyPatterns(b *testing.B) {
	dir := benchTree(b)
	var vs []Validator
	var expressions []string
	for i := range 20 {
		re := fmt.Sprintf(`\blegacyCall%d\(`, i)
		e, err := compile(re)
		if err != nil {
			b.Fatal(err)
		}
		vs = append(vs, Validator{Name: fmt.Sprint(i), Says: "s", Kind: Pattern, Scope: []string{"**/*.go"}, In: WholeTree, mustNot: []expression{e}})
		expressions = append(expressions, fmt.Sprintf(`legacyCall%d[(]`, i))
	}
	check := func(b *testing.B, found int) {
		if found != 100 {
			b.Fatalf("%d found, want 100", found)
		}
	}
	b.Run("together", func(b *testing.B) {
		defer reportCPU(b, cpuTime(b))
		for b.Loop() {
			found := 0
			for _, r := range RunAll(b.Context(), vs, Input{Dir: dir}) {
				found += len(r.Failures)
			}
			check(b, found)
		}
	})
	b.Run("one by one", func(b *testing.B) {
		defer reportCPU(b, cpuTime(b))
		for b.Loop() {
			found := 0
			for _, v := range vs {
				found += len(Run(b.Context(), v, Input{Dir: dir}).Failures)
			}
			check(b, found)
		}
	})
	b.Run("git grep in one call", func(b *testing.B) {
		args := []string{"-C", dir, "grep", "-nE"}
		for _, e := range expressions {
			args = append(args, "-e", e)
		}
		defer reportCPU(b, cpuTime(b))
		for b.Loop() {
			out, err := exec.Command("git", args...).Output()
			if err != nil {
				b.Fatal(err)
			}
			check(b, strings.Count(string(out), "\n"))
		}
	})
	b.Run("git grep in twenty calls", func(b *testing.B) {
		defer reportCPU(b, cpuTime(b))
		for b.Loop() {
			found := 0
			for _, e := range expressions {
				out, err := exec.Command("git", "-C", dir, "grep", "-nE", "-e", e).Output()
				if err != nil {
					b.Fatal(err)
				}
				found += strings.Count(string(out), "\n")
			}
			check(b, found)
		}
	})
	b.Run("built-ins", func(b *testing.B) {
		var all []Validator
		for _, bi := range Builtins() {
			all = append(all, bi.Validator())
		}
		defer reportCPU(b, cpuTime(b))
		for b.Loop() {
			for _, r := range RunAll(b.Context(), all, Input{Dir: dir}) {
				if r.Status != Clean {
					b.Fatal(r)
				}
			}
		}
	})
}

// T49: an expression that makes a backtracking engine hang.
func BenchmarkHostileExpression(b *testing.B) {
	e, err := compile(`(a+)+$`)
	if err != nil {
		b.Fatal(err)
	}
	data := []byte(strings.Repeat("a", 100_000) + "!")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		e.matches(data)
	}
}
