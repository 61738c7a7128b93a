//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// maxRounds bounds the hunt for descendants that fork while they are hunted.
// With every known one stopped, a new round finds only what was forked during
// the last.
const maxRounds = 200

// stopAll stops every descendant, so that none can fork away from killAll.
func stopAll() {
	if os.Getpid() == 1 {
		syscall.Kill(-1, syscall.SIGSTOP)
		return
	}
	stopped := map[int]bool{}
	for range maxRounds {
		fresh := false
		for _, pid := range descendants(os.Getpid()) {
			if !stopped[pid] {
				stopped[pid], fresh = true, true
				syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
		if !fresh {
			return
		}
	}
}

// killAll ends and reaps every descendant of this process. Its direct child
// must have been waited for.
func killAll() {
	if !reap() {
		return
	}
	stopAll()
	for range maxRounds {
		if os.Getpid() == 1 {
			syscall.Kill(-1, syscall.SIGKILL)
		} else {
			for _, pid := range descendants(os.Getpid()) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		// The killed may have been parents, whose children come to this
		// process only when they are gone: wait for one, then look again.
		if _, err := syscall.Wait4(-1, nil, 0, nil); err == syscall.ECHILD {
			return
		}
		if !reap() {
			return
		}
	}
}

// reap collects the children that have ended and reports whether any is left.
func reap() bool {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return false
		case pid == 0:
			return true
		}
	}
}

// descendants returns the processes below one, in no order. It reads /proc and
// sees a moment that may have passed.
func descendants(root int) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what could be read is better than nothing
	children := map[int][]int{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if ppid, ok := parentOf(name); ok {
			children[ppid] = append(children[ppid], pid)
		}
	}
	var all []int
	for todo := []int{root}; len(todo) > 0; {
		next := children[todo[0]]
		todo = append(todo[1:], next...)
		all = append(all, next...)
	}
	return all
}

func parentOf(pid string) (int, bool) { return statField(pid, 4) }

// statField reads one numbered field of /proc/PID/stat, from the third on; the
// second is a name in parentheses that may hold anything.
func statField(pid string, n int) (int, bool) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= n-3 {
		return 0, false
	}
	v, err := strconv.Atoi(string(fields[n-3]))
	return v, err == nil
}

// userTasks counts the processes and threads of a user, which a limit on them
// has to start from.
func userTasks(uid int) uint64 {
	entries, _ := os.ReadDir("/proc") // what cannot be read makes the limit lower
	var tasks uint64
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != uid {
			continue
		}
		if threads, ok := statField(e.Name(), 20); ok {
			tasks += uint64(threads)
		}
	}
	return tasks
}
