package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/containerd/cgroups/v3/cgroup2"
	"golang.org/x/sys/unix"
)

// v2 is a parent in the unified hierarchy.
type v2 struct {
	dir  string
	swap bool // the kernel limits swap per group
}

// errSwap is refused rather than noted: with swap that nothing limits, a
// memory limit holds nobody.
var errSwap = errors.New("cgroup: the host swaps but cgroups cannot limit it: " +
	"boot without swapaccount=0, or turn swap off")

func newV2(parent group) (*v2, error) {
	if err := enable(parent.dir, V2.required()); err != nil {
		return nil, err
	}
	if err := keepRoom(parent); err != nil {
		return nil, err
	}
	b := &v2{dir: parent.dir, swap: exists(filepath.Join(parent.dir, "memory.swap.max"))}
	if b.swap {
		return b, nil
	}
	swaps, err := os.ReadFile("/proc/swaps")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cgroup: look for swap: %w", err)
	}
	if strings.Count(string(swaps), "\n") > 1 {
		return nil, errSwap
	}
	return b, nil
}

// limit goes through a manager whose mount point is our parent: the library
// writes settings to every ancestor up to the mount point when it makes a
// group itself, so it only gets to see one that exists.
func (b *v2) limit(leaf string, l Limits) error {
	m, err := cgroup2.Load("/"+leaf, cgroup2.WithMountpoint(b.dir))
	if err != nil {
		return err
	}
	quota, period, none, together := l.cpuQuotaUS(), uint64(cpuPeriodUS), int64(0), true
	r := &cgroup2.Resources{
		Memory: &cgroup2.Memory{Max: &l.MemoryBytes, OOMGroup: &together},
		Pids:   &cgroup2.Pids{Max: l.Pids},
		CPU:    &cgroup2.CPU{Max: cgroup2.NewCPUMax(&quota, &period)},
	}
	if b.swap {
		r.Memory.Swap = &none
	}
	return m.Update(r)
}

func (b *v2) usage(leaf string) (Usage, error) {
	var r reader
	dir := filepath.Join(b.dir, leaf)
	stat := r.keys(filepath.Join(dir, "cpu.stat"), "user_usec", "system_usec", "throttled_usec")
	events := r.keys(filepath.Join(dir, "memory.events"), "max", "oom_kill")
	peak, known := r.optional(dir, "memory.peak")
	return Usage{
		PeakMemoryBytes: peak,
		PeakUnknown:     !known,
		CPUUser:         time.Duration(stat["user_usec"]) * time.Microsecond,
		CPUSystem:       time.Duration(stat["system_usec"]) * time.Microsecond,
		Throttled:       time.Duration(stat["throttled_usec"]) * time.Microsecond,
		OOMKills:        events["oom_kill"],
		MemoryMaxEvents: events["max"],
		PidsMaxEvents:   r.refused(dir),
	}, r.err
}

func (b *v2) cpuTime(leaf string) (time.Duration, error) {
	var r reader
	stat := r.keys(filepath.Join(b.dir, leaf, "cpu.stat"), "user_usec", "system_usec")
	return time.Duration(stat["user_usec"]+stat["system_usec"]) * time.Microsecond, r.err
}

func (b *v2) refused(leaf string) (int64, error) {
	var r reader
	n := r.refused(filepath.Join(b.dir, leaf))
	return n, r.err
}

func (b *v2) kill(leaf string) error { return killTree(filepath.Join(b.dir, leaf)) }

func (b *v2) dirs(leaf string) []string { return []string{filepath.Join(b.dir, leaf)} }

// wait sleeps until the kernel signals a change of cgroup.events, or a short
// while: the kernel holds such a signal back for up to 10 ms after another.
func (b *v2) wait(ctx context.Context, leaf string, again func() error) error {
	f, err := os.Open(filepath.Join(b.dir, leaf, "cgroup.events"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for timeout := 1; ; timeout = min(2*timeout, 16) {
		text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
		if errors.Is(err, unix.ENODEV) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		events, err := parseKeyed(text)
		if err != nil {
			return err
		}
		if populated, ok := events["populated"]; !ok {
			return errors.New("cgroup.events: no key \"populated\"")
		} else if populated == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := again(); err != nil {
			return err
		}
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLPRI}}
		if _, err := unix.Poll(fds, timeout); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("poll cgroup.events: %w", err)
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
