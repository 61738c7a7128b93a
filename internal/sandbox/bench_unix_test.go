//go:build unix

package sandbox

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is the processor time of this process and of its children that ended:
// on a busy machine it says more than the time on the wall.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// reportCPU adds the processor time of one round to a benchmark's figures.
func reportCPU(b *testing.B, since time.Duration) {
	b.Helper()
	b.ReportMetric(float64((cpuTime(b)-since).Milliseconds())/float64(b.N), "cpu-ms/op")
}

func BenchmarkRun(b *testing.B) {
	for name, avoid := range levels {
		b.Run(name, func(b *testing.B) {
			r := New(b.Context(), Options{Path: testPath, Avoid: avoid})
			if r.Report().Level.String() != name {
				b.Skip(r.Report().Reason)
			}
			defer reportCPU(b, cpuTime(b))
			for b.Loop() {
				if got := r.Run(b.Context(), Spec{Argv: []string{"true"}}); got.Err != nil || got.Exit != 0 {
					b.Fatal(got.Exit, got.Err)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(b.Context(), Options{Path: testPath})
	}
}
