package lease

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Scratch and Aside make what is one process's alone and tell by a lock on it (flock(2))
// that its owner lives: the lock ends with the process, however that ends. No system call
// makes a directory that is locked from the first moment on. So a maker that has the lock
// looks whether the name still means what it has locked, and else begins again. A sweeper
// cannot tell a maker that stands still before it locks from a dead one: what it takes it
// has locked and looked at in the same way, and it holds the lock until that is gone.

// Scratch makes a directory (0700) below parent that is this process's alone. Its owner
// removes it when done, then closes the lock. What dead owners of directories with that
// prefix have left is removed first.
func Scratch(parent, prefix string) (path string, lock *os.File, err error) {
	if err := SweepScratch(parent, prefix); err != nil {
		return "", nil, err
	}
	lock, err = own(func() (*os.File, error) {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		return open(path, fs.ModeDir)
	})
	if err != nil {
		return "", nil, err
	}
	return lock.Name(), lock, nil
}

// asideSuffix ends the names of files that are not whole yet.
const asideSuffix = ".tmp"

// Aside makes a file (0600) in dir for what is to be called name, under a name of its
// own that nobody reads. Its owner renames it when it is whole, or removes it, then
// closes it. What dead owners of such files have left in dir, whatever it was to be
// called, is removed first.
func Aside(dir, name string) (*os.File, error) {
	ours := func(name string) bool { return strings.HasSuffix(name, asideSuffix) }
	if err := sweepUnowned(dir, 0, ours); err != nil {
		return nil, err
	}
	return own(func() (*os.File, error) { return os.CreateTemp(dir, name+".*"+asideSuffix) })
}

// SweepScratch removes the directories of Scratch below parent whose owners are
// dead. What is not root's, what is no directory, and what is locked stays.
func SweepScratch(parent, prefix string) error {
	return sweepUnowned(parent, fs.ModeDir, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

// errNotOurs means that somebody else has the lock, or has removed what was to be
// locked.
var errNotOurs = errors.New("locked or removed by another process")

// own makes something and locks it, and begins again where a sweeper came in between.
func own(begin func() (*os.File, error)) (*os.File, error) {
	err := errNotOurs
	for range 100 { // each time another process must come within microseconds
		f, failed := begin()
		if err = failed; err == nil {
			if err = lockOpened(f); err == nil {
				return f, nil
			}
			f.Close()
			if !errors.Is(err, errNotOurs) {
				err = errors.Join(err, os.Remove(f.Name()))
			}
		}
		if !errors.Is(err, errNotOurs) {
			break
		}
	}
	return nil, fmt.Errorf("lease: %w", err)
}

// open opens what is there to be locked, a file or a directory.
func open(path string, kind fs.FileMode) (*os.File, error) {
	flags := unix.O_RDWR
	if kind == fs.ModeDir {
		flags = unix.O_RDONLY | unix.O_DIRECTORY
	}
	fd, err := unix.Open(path, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil, errNotOurs
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// lockOpened locks what a process has just made, or what it found.
func lockOpened(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return errNotOurs
	} else if err != nil {
		return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
	// It may have been removed, and its name used again, before it was locked.
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(f.Name())
	if err != nil || !os.SameFile(opened, named) {
		return errNotOurs
	}
	return nil
}

// sweepUnowned removes what has such a name below parent, is of that kind and root's
// alone to change, and whose owner is dead.
func sweepUnowned(parent string, kind fs.FileMode, ours func(name string) bool) error {
	root, err := os.OpenRoot(parent)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nobody has made one
	}
	if err != nil {
		return fmt.Errorf("lease: sweep: %w", err)
	}
	defer root.Close()
	names, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fmt.Errorf("lease: sweep: %w", err)
	}
	for _, entry := range names {
		path := filepath.Join(parent, entry.Name())
		if info, err := os.Lstat(path); err != nil || !ours(entry.Name()) || !private(info, kind) {
			continue
		}
		f, err := open(path, kind)
		if err != nil {
			continue // it is gone
		}
		if lockOpened(f) == nil { // else its owner lives, or it is gone
			// Locked until it is gone, so that its maker, if there is one still, sees that
			// it was taken. In a sticky directory only root can put something else in its
			// place.
			err = root.RemoveAll(entry.Name())
		}
		f.Close()
		if err != nil {
			return fmt.Errorf("lease: sweep %s: %w", path, err)
		}
	}
	return nil
}

// private says whether something is of that kind, and only root may write it.
func private(info fs.FileInfo, kind fs.FileMode) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && owner.Uid == 0 && info.Mode().Type() == kind && info.Mode().Perm()&0o022 == 0
}
