package cgroup

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrQuarantined is wrapped where a leaf could not be removed. It stays
// remembered, is tried again, and counts in Hierarchy.Quarantined.
var ErrQuarantined = errors.New("leaf quarantined")

// removeTimeout bounds Close: the kernel may answer EBUSY for a moment after a
// group has become empty.
const removeTimeout = 250 * time.Millisecond

// Leaf is the cgroup of one run. Its order of use: Joiner, Kill, WaitEmpty,
// Usage, Close. It may be used from many goroutines.
type Leaf struct {
	h    *Hierarchy
	name string
	dirs []string

	mu     sync.Mutex
	killed bool
	gone   bool // closed: the directories are removed or in quarantine

	// what pids.events said before Kill
	refused    int64
	refusedErr error
}

// Name is the leaf's name below the parent.
func (l *Leaf) Name() string { return l.name }

// Membership lists the lines that /proc/<pid>/cgroup must show, read by the
// caller, for a process in this leaf: one for v2, one per hierarchy for v1,
// where further lines of other controllers are none of ours.
func (l *Leaf) Membership() []string {
	var lines []string
	for _, p := range l.h.parents {
		lines = append(lines, p.prefix+p.child(l.name).path)
	}
	return lines
}

// Usage reads the counters. It fails after Close.
func (l *Leaf) Usage() (Usage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return Usage{}, fmt.Errorf("cgroup: usage of leaf %s: closed", l.name)
	}
	u, err := l.h.backend.usage(l.name)
	if l.killed {
		u.PidsMaxEvents = l.refused
		err = errors.Join(err, l.refusedErr)
	}
	if err != nil {
		return Usage{}, fmt.Errorf("cgroup: usage of leaf %s: %w", l.name, err)
	}
	return u, nil
}

// CPUTime is the sum of Usage's two times, by one small file: while nothing in the
// leaf runs, it stands still.
func (l *Leaf) CPUTime() (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return 0, fmt.Errorf("cgroup: usage of leaf %s: closed", l.name)
	}
	t, err := l.h.backend.cpuTime(l.name)
	if err != nil {
		return 0, fmt.Errorf("cgroup: usage of leaf %s: %w", l.name, err)
	}
	return t, nil
}

// Kill sends SIGKILL to every process in the leaf. They may live on for a
// moment: WaitEmpty sees to that. From then on no process can be born in the
// leaf (a clone gets EAGAIN), so a kill also stops a start that is under way.
// After Close it does nothing.
func (l *Leaf) Kill() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return nil
	}
	if !l.killed {
		// On v1 the kill itself makes forks fail; those are not the program's.
		// If the counter cannot be read, Usage will tell: the kill comes first.
		l.killed = true
		l.refused, l.refusedErr = l.h.backend.refused(l.name)
	}
	if err := l.h.backend.kill(l.name); err != nil {
		return fmt.Errorf("cgroup: kill leaf %s: %w", l.name, err)
	}
	return nil
}

// WaitEmpty returns once no process is in the leaf; ended ones that nobody has
// waited for do not count. If Kill was called it goes on killing. When ctx
// ends first, its error is wrapped.
func (l *Leaf) WaitEmpty(ctx context.Context) error {
	err := l.h.backend.wait(ctx, l.name, func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.killed || l.gone {
			return nil
		}
		return l.h.backend.kill(l.name)
	})
	if err != nil {
		return fmt.Errorf("cgroup: wait until leaf %s is empty: %w", l.name, err)
	}
	return nil
}

// Close removes the leaf, retrying for up to 250 ms while the kernel calls it
// busy. If it stays busy the leaf is quarantined, and from then on whatever is
// in it is killed; the error then wraps ErrQuarantined, and a second Close
// does nothing.
func (l *Leaf) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return nil
	}
	l.gone = true
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	for pause := newBackoff(10 * time.Millisecond); ; {
		err := removeAll(l.dirs)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || pause.sleep(ctx) != nil {
			l.h.quarantine(l)
			return fmt.Errorf("cgroup: close leaf %s: %w: %w", l.name, ErrQuarantined, err)
		}
	}
}

// discard is what quarantine does to a leaf: kill, and try to remove.
func (l *Leaf) discard() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.h.backend.kill(l.name); err != nil {
		return err
	}
	return removeAll(l.dirs)
}
