package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestJobsOf(t *testing.T) {
	t.Parallel()
	for batches, want := range map[int]struct {
		jobs        int
		first, last string
	}{
		1:   {1, "1", "1"},
		256: {256, "1", "256"},
		257: {256, "1,257", "256"},
		600: {256, "1,257,513", "256,512"},
	} {
		ids := make([]string, batches)
		for i := range ids {
			ids[i] = fmt.Sprint(i + 1)
		}
		jobs := jobsOf(ids)
		if len(jobs) != want.jobs || jobs[0] != want.first || jobs[len(jobs)-1] != want.last {
			t.Errorf("jobsOf(%d batches) = %d jobs, %q to %q; want %d, %q to %q",
				batches, len(jobs), jobs[0], jobs[len(jobs)-1], want.jobs, want.first, want.last)
		}
		all := strings.Split(strings.Join(jobs, ","), ",")
		slices.Sort(all)
		slices.Sort(ids)
		if !slices.Equal(all, ids) {
			t.Errorf("jobsOf(%d batches) holds %d of them", batches, len(slices.Compact(all)))
		}
	}
	if got := jobsOf(nil); len(got) != 0 {
		t.Errorf("jobsOf(nil) = %q, want none", got)
	}
}
