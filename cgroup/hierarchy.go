package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// ErrUnavailable is wrapped by Open's error on a host with neither a complete
// cgroup v2 nor a complete v1; the message has Probe's reason and remedy.
var ErrUnavailable = errors.New("no complete cgroup hierarchy")

// Hierarchy is the parent that belongs to one daemon, and the leaves below it.
// It may be used from many goroutines.
type Hierarchy struct {
	version Version
	parents []group    // one per hierarchy of the kernel
	home    []*os.File // v1: tasks files of the caller's own groups
	backend backend

	mu          sync.Mutex
	closed      bool
	quarantined []*Leaf
}

// backend is what differs between v1 and v2. A leaf is its name.
type backend interface {
	dirs(leaf string) []string
	limit(leaf string, l Limits) error
	share(leaf string, share float64) error // see Leaf.SetShare
	usage(leaf string) (Usage, error)
	cpuTime(leaf string) (time.Duration, error)
	refused(leaf string) (int64, error) // Usage.PidsMaxEvents
	kill(leaf string) error
	// wait returns once the leaf is empty and calls again in between.
	wait(ctx context.Context, leaf string, again func() error) error
}

// Open makes the parent name in the caller's own cgroup, in every hierarchy it
// needs, whether or not one of that name was left behind: that one is swept.
//
// Preconditions: the caller holds the lease of name. Where Probe reports
// Moves, Open comes before any other process is started, since it moves the
// calling process and no other.
func Open(name string, o Options) (*Hierarchy, error) {
	if err := validName(name); err != nil {
		return nil, err
	}
	if name == daemonGroup {
		return nil, fmt.Errorf("cgroup: name %q is taken by the daemon's subgroup", name)
	}
	s, err := locate(o)
	if err != nil {
		return nil, err
	}
	if s.report.Version == 0 {
		return nil, fmt.Errorf("cgroup: %w: %s: %s", ErrUnavailable, s.report.Reason, s.report.Remedy)
	}
	dirs := s.report.Parents(name)
	if err := Sweep(dirs); err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := makeAll(dirs); err != nil {
		return nil, fmt.Errorf("cgroup: make parent %s: %w", name, err)
	}
	h, err := newHierarchy(s, name)
	if err != nil {
		return nil, errors.Join(err, removeAll(dirs))
	}
	return h, nil
}

func newHierarchy(s site, name string) (*Hierarchy, error) {
	h := &Hierarchy{version: s.report.Version}
	for _, g := range s.base {
		h.parents = append(h.parents, g.child(name))
	}
	var err error
	if h.version == V2 {
		h.backend, err = newV2(h.parents[0])
		return h, err
	}
	if h.backend, err = newV1(h.parents); err != nil {
		return nil, err
	}
	var own []string
	for _, g := range s.home {
		own = append(own, g.dir)
	}
	if h.home, err = openTasks(own); err != nil {
		return nil, fmt.Errorf("cgroup: open own group: %w", err)
	}
	return h, nil
}

// Version says which interface is in use.
func (h *Hierarchy) Version() Version { return h.version }

// Paths are the absolute directories of the parent, for Sweep by a later
// daemon.
func (h *Hierarchy) Paths() []string {
	var dirs []string
	for _, g := range h.parents {
		dirs = append(dirs, g.dir)
	}
	return dirs
}

// NewLeaf makes a leaf with all its limits set. A name that exists is an error
// (fs.ErrExist), and after any error nothing is left of the leaf. It also
// tries to get rid of quarantined leaves, without waiting for them.
func (h *Hierarchy) NewLeaf(name string, l Limits) (*Leaf, error) {
	if err := validName(name); err != nil {
		return nil, err
	}
	if err := l.validate(); err != nil {
		return nil, err
	}
	h.retryQuarantined(retryBatch)
	leaf := &Leaf{h: h, name: name, dirs: h.backend.dirs(name)}
	if err := makeAll(leaf.dirs); err != nil {
		return nil, fmt.Errorf("cgroup: make leaf %s: %w", name, err)
	}
	if err := h.backend.limit(name, l); err != nil {
		err = fmt.Errorf("cgroup: limit leaf %s: %w", name, err)
		return nil, errors.Join(err, removeAll(leaf.dirs))
	}
	return leaf, nil
}

// retryBatch bounds what one NewLeaf spends on other runs' leaves.
const retryBatch = 4

// Quarantined counts the leaves that could not be removed so far. A growing
// number means processes that do not die.
func (h *Hierarchy) Quarantined() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.quarantined)
}

// retryQuarantined tries the first n once more; those that still resist go to
// the end of the queue.
func (h *Hierarchy) retryQuarantined(n int) {
	h.mu.Lock()
	batch := slices.Clone(h.quarantined[:min(n, len(h.quarantined))])
	h.quarantined = h.quarantined[len(batch):]
	h.mu.Unlock()
	for _, l := range batch {
		if l.discard() != nil {
			h.quarantine(l)
		}
	}
}

func (h *Hierarchy) quarantine(l *Leaf) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.quarantined = append(h.quarantined, l)
}

// Close removes the parent, which must have no leaf left but quarantined ones;
// those are tried again for up to a second. On an error the parent is still
// there, and Close may be called again.
func (h *Hierarchy) Close() error {
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	if closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for pause := newBackoff(20 * time.Millisecond); h.Quarantined() > 0; {
		h.retryQuarantined(h.Quarantined())
		if h.Quarantined() == 0 || pause.sleep(ctx) != nil {
			break
		}
	}
	if n := h.Quarantined(); n > 0 {
		return fmt.Errorf("cgroup: close: %w: %d leaves", ErrQuarantined, n)
	}
	for _, dir := range h.Paths() {
		if err := rmdir(dir); err != nil {
			return fmt.Errorf("cgroup: close: %w", err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	return closeAll(h.home)
}
