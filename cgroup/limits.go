package cgroup

import (
	"fmt"
	"os"
)

// Limits are what one leaf is held to. All are required: there is no value
// that means unlimited.
type Limits struct {
	MemoryBytes int64 // memory, page cache and tmpfs pages included; no swap on top (v1: one page)
	Pids        int64 // tasks, so threads count
	CPUPercent  int64 // of one processor, over periods of 100 ms: 100 is one whole
}

const (
	cpuPeriodUS = 100_000
	// maxMemoryBytes is more than any machine has, and leaves the kernel's own
	// arithmetic room.
	maxMemoryBytes = 1 << 50
	// maxPids is PID_MAX_LIMIT of 64-bit kernels; pids.max refuses more.
	maxPids = 1 << 22
	// maxCPUPercent is 10,000 processors, far below where the kernel's own
	// arithmetic ends.
	maxCPUPercent = 1_000_000
)

func (l Limits) validate() error {
	for _, f := range []struct {
		name     string
		v, least int64
		most     int64
	}{
		// A group that cannot hold a page would die in its first fault.
		{"MemoryBytes", l.MemoryBytes, int64(os.Getpagesize()), maxMemoryBytes},
		{"Pids", l.Pids, 1, maxPids},
		{"CPUPercent", l.CPUPercent, 1, maxCPUPercent},
	} {
		if f.v < f.least || f.v > f.most {
			return fmt.Errorf("cgroup: limit %s is %d, must be from %d to %d", f.name, f.v, f.least, f.most)
		}
	}
	return nil
}

func (l Limits) cpuQuotaUS() int64 { return l.CPUPercent * cpuPeriodUS / 100 }

const maxName = 64

// validName refuses whatever could name more or less than one new directory,
// or collide with a file of the kernel: those have a dot or an underscore, or
// are "tasks".
func validName(name string) error {
	bad := len(name) == 0 || len(name) > maxName || name[0] == '-' || name == "tasks"
	for _, c := range []byte(name) {
		bad = bad || (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-'
	}
	if bad {
		return fmt.Errorf("cgroup: name %q: want 1 to %d of a-z, 0-9 and inner '-'", name, maxName)
	}
	return nil
}
