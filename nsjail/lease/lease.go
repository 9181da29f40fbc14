// Package lease hands out, among all daemons of a host, what may be used by one
// only: a range of host uids and the names of cgroup parents. A lease is a lock
// on a file, so it ends with the process that holds it, however that ends; what
// the file says of cgroups then tells the next holder what to sweep.
package lease

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Dir is where all daemons and runs of a host keep their leases: with a place
// of its own, one would use the uids and groups of another.
const Dir = "/run/safe-exec/lease"

// Slots bounds how many daemons and stand-alone runs a host has at once.
const Slots = 64

// Range is a range of host uids (and gids of the same numbers) set aside for
// jails: no account may have one of them.
type Range struct {
	First uint32 `yaml:"first"`
	Count uint32 `yaml:"count"`
}

// DefaultRange lies above what distributions and systemd allot.
var DefaultRange = Range{First: 1_900_000_000, Count: Slots * 4096}

// ErrNoSlot means that all slots are held by live processes.
var ErrNoSlot = fmt.Errorf("lease: all %d slots are taken by other daemons or runs", Slots)

// Lease is one slot, held until Close.
type Lease struct {
	Slot  int
	first uint32
	pairs uint32
	file  *os.File

	mu   sync.Mutex
	free []uint32 // indices of pairs that were used and given back
	next uint32   // lowest index never used; pair 0 is nobody's
}

// Take locks the first free slot below dir, a host-wide directory that only
// root may enter; it is made if missing. stale gets the cgroup parents that the
// slot's last holder left; it must remove them before the slot is used.
//
// Preconditions: while the directory's parent is made, nothing else in the process makes
// files, which would get all of their mode.
func Take(dir string, r Range, stale func(parents []string) error) (*Lease, error) {
	if r.First == 0 || r.Count/Slots < 4 || r.First+r.Count < r.First {
		return nil, fmt.Errorf("lease: uid range %d+%d is too small or holds uid 0", r.First, r.Count)
	}
	if err := makePrivate(dir); err != nil {
		return nil, err
	}
	if err := checkPrivate(dir); err != nil {
		return nil, err
	}
	var held *Lease
	var sweepErr error
	for slot := range Slots {
		f, err := lock(filepath.Join(dir, fmt.Sprintf("slot-%02d", slot)), held == nil)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Every unlocked slot is swept, not only the one that is taken: its
		// holder is dead and nobody else will come.
		if err := sweep(f, stale); err != nil {
			sweepErr = errors.Join(sweepErr, fmt.Errorf("lease: sweep of slot %d: %w", slot, err))
			f.Close()
			continue
		}
		if held != nil {
			f.Close()
			continue
		}
		per := r.Count / Slots
		held = &Lease{Slot: slot, first: r.First + uint32(slot)*per, pairs: per / 2, next: 1, file: f}
	}
	if held == nil {
		return nil, errors.Join(ErrNoSlot, sweepErr)
	}
	return held, nil
}

// makePrivate makes the directory if it is missing, and its parent, which is open to all:
// the daemon's socket is there. The parent has its mode from the first moment on, whatever
// the umask: one that is there is the operator's and stays as it is.
func makePrivate(dir string) error {
	parent := filepath.Dir(dir)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		old := unix.Umask(0)
		err := os.Mkdir(parent, 0o755)
		unix.Umask(old)
		if err != nil && !errors.Is(err, fs.ErrExist) { // of another process that starts
			return err
		}
	}
	return os.MkdirAll(dir, 0o700)
}

func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !private(info, fs.ModeDir) {
		return fmt.Errorf("lease: %s must be a directory that only root may write", dir)
	}
	return nil
}

func lock(path string, create bool) (*os.File, error) {
	flags := os.O_RDWR | unix.O_NOFOLLOW
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func sweep(f *os.File, stale func([]string) error) error {
	b, err := os.ReadFile(f.Name())
	if err != nil {
		return err
	}
	parents := strings.Fields(string(b))
	if len(parents) == 0 {
		return nil
	}
	if err := stale(parents); err != nil {
		return err
	}
	return f.Truncate(0)
}

// Record notes the cgroup parents that this lease's holder is about to use.
func (l *Lease) Record(parents []string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(strings.Join(parents, "\n")+"\n"), 0)
	return err
}

// CgroupName is a name for the cgroup parent that no other holder uses.
func (l *Lease) CgroupName() string { return fmt.Sprintf("safe-exec-%02d", l.Slot) }

// Range is the uids of this lease.
func (l *Lease) Range() Range { return Range{First: l.first, Count: 2 * l.pairs} }

// Forks is the part of the range that a template's forks have their ids from:
// all but the first pair.
func (r Range) Forks() Range { return Range{First: r.First + 2, Count: r.Count - 2} }

// Group is the gid of all templates, and of no process else: they are admitted to
// the leaves of their forks by it. It is the first of the range.
func (r Range) Group() uint32 { return r.First }

// Has says whether a host uid is of the range.
func (r Range) Has(uid uint32) bool { return uid >= r.First && uid-r.First < r.Count }

// ErrNoUIDs means that every pair of the slot is in use.
var ErrNoUIDs = errors.New("lease: no uid pair is free")

// Pair is two host uids that no other run has until it is given back.
type Pair struct {
	Init, Payload uint32
	index         uint32
}

// TakePair hands out a pair. Unused ones go first, then those given back longest
// ago, so that a uid rests before it is used again.
func (l *Lease) TakePair() (Pair, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var i uint32
	switch {
	case l.next < l.pairs:
		i = l.next
		l.next++
	case len(l.free) > 0:
		i, l.free = l.free[0], l.free[1:]
	default:
		return Pair{}, ErrNoUIDs
	}
	return Pair{Init: l.first + 2*i, Payload: l.first + 2*i + 1, index: i}, nil
}

// GivePair ends the use of a pair. All processes of its run must be dead.
func (l *Lease) GivePair(p Pair) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, p.index)
}

// Close ends the lease. If not everything that Record noted is gone, the note
// stays for whoever takes the slot next.
func (l *Lease) Close(swept bool) error {
	var err error
	if swept {
		err = l.file.Truncate(0)
	}
	return errors.Join(err, l.file.Close())
}
