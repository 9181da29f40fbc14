package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/containerd/cgroups/v3/cgroup1"
	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// v1 is a parent in the hierarchies of cgroup v1.
type v1 struct {
	groups     []group // one per hierarchy
	subsystems []cgroup1.Subsystem
	swap       bool // the kernel counts memory and swap together
}

// newV1 makes the fresh parent fit for leaves. They inherit two settings from
// it: that the kernel kills when memory runs out, and that reclaim never swaps.
func newV1(parents []group) (*v1, error) {
	b := &v1{groups: parents}
	for _, g := range parents {
		root := filepath.Dir(g.point)
		for _, c := range g.controllers {
			switch c {
			case memory:
				b.subsystems = append(b.subsystems, cgroup1.NewMemory(root))
			case pids:
				b.subsystems = append(b.subsystems, cgroup1.NewPids(root))
			case cpu:
				b.subsystems = append(b.subsystems, cgroup1.NewCpu(root))
			}
		}
	}
	dir := b.group(memory).dir
	control, err := read(filepath.Join(dir, "memory.oom_control"), parseKeyed)
	if err != nil {
		return nil, fmt.Errorf("cgroup: read OOM control: %w", err)
	}
	if control["oom_kill_disable"] != 0 {
		if err := writeFile(filepath.Join(dir, "memory.oom_control"), "0"); err != nil {
			return nil, fmt.Errorf("cgroup: switch the OOM killer on: %w", err)
		}
	}
	if err := writeFile(filepath.Join(dir, "memory.swappiness"), "0"); err != nil {
		return nil, fmt.Errorf("cgroup: switch swapping off: %w", err)
	}
	b.swap = exists(filepath.Join(dir, "memory.memsw.limit_in_bytes"))
	return b, keepRoom(b.group(pids))
}

func (b *v1) group(controller string) group {
	i := slices.IndexFunc(b.groups, func(g group) bool { return slices.Contains(g.controllers, controller) })
	return b.groups[i]
}

func (b *v1) dir(controller, leaf string) string {
	return filepath.Join(b.group(controller).dir, leaf)
}

func (b *v1) limit(leaf string, l Limits) error {
	quota, period := l.cpuQuotaUS(), uint64(cpuPeriodUS)
	r := &specs.LinuxResources{
		Memory: &specs.LinuxMemory{Limit: &l.MemoryBytes},
		Pids:   &specs.LinuxPids{Limit: &l.Pids},
		CPU:    &specs.LinuxCPU{Quota: &quota, Period: &period},
	}
	// Memory and swap together get a page more than memory: were they equal,
	// this limit would be hit first, and the kernel does not count its hits.
	both := l.MemoryBytes + int64(os.Getpagesize())
	if b.swap {
		r.Memory.Swap = &both
	}
	inMount := func(c cgroup1.Name) (string, error) {
		g := b.group(string(c))
		return filepath.Rel(g.point, filepath.Join(g.dir, leaf))
	}
	_, err := cgroup1.New(inMount, r, cgroup1.WithHierarchy(
		func() ([]cgroup1.Subsystem, error) { return b.subsystems, nil }))
	return err
}

func (b *v1) usage(leaf string) (Usage, error) {
	var r reader
	dir := func(c string) string { return b.dir(c, leaf) }
	u := Usage{
		MemoryMaxEvents: r.number(dir(memory), "memory.failcnt"),
		PeakMemoryBytes: r.number(dir(memory), "memory.max_usage_in_bytes"),
		OOMKills:        r.keys(filepath.Join(dir(memory), "memory.oom_control"), "oom_kill")["oom_kill"],
		PidsMaxEvents:   r.refused(dir(pids)),
		Throttled:       time.Duration(r.keys(filepath.Join(dir(cpu), "cpu.stat"), "throttled_time")["throttled_time"]),
	}
	u.CPUUser, u.CPUSystem = splitCPU(r.number(dir(cpuacct), "cpuacct.usage"),
		r.number(dir(cpuacct), "cpuacct.usage_user"), r.number(dir(cpuacct), "cpuacct.usage_sys"))
	return u, r.err
}

func (b *v1) cpuTime(leaf string) (time.Duration, error) {
	var r reader
	n := r.number(b.dir(cpuacct, leaf), "cpuacct.usage")
	return time.Duration(n), r.err
}

func (b *v1) refused(leaf string) (int64, error) {
	var r reader
	n := r.refused(b.dir(pids, leaf))
	return n, r.err
}

func (b *v1) kill(leaf string) error {
	return killOnce(b.dirs(leaf), spareStarters)
}

func (b *v1) dirs(leaf string) []string {
	var dirs []string
	for _, g := range b.groups {
		dirs = append(dirs, filepath.Join(g.dir, leaf))
	}
	return dirs
}

// wait polls: v1 has no file that tells when a group becomes empty.
func (b *v1) wait(ctx context.Context, leaf string, again func() error) error {
	for pause := newBackoff(5 * time.Millisecond); ; {
		left := 0
		for _, dir := range b.dirs(leaf) {
			n, err := readPids(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			left += len(n)
		}
		if left == 0 {
			return nil
		}
		if err := again(); err != nil {
			return err
		}
		if err := pause.sleep(ctx); err != nil {
			return fmt.Errorf("%d memberships left: %w", left, err)
		}
	}
}
