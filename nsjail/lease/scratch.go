package lease

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Scratch makes a directory (0700) below parent that is this process's alone, and
// locks it (flock(2)): the lock says that its owner lives, and ends with the process
// however that ends. Who is done removes the directory, then closes the lock. What
// dead owners of directories with that prefix have left is removed first.
func Scratch(parent, prefix string) (path string, lock *os.File, err error) {
	if err := SweepScratch(parent, prefix); err != nil {
		return "", nil, err
	}
	// A sweeper may come between making and locking, and take it for a dead
	// owner's.
	for range 100 {
		if path, err = os.MkdirTemp(parent, prefix); err != nil {
			return "", nil, err
		}
		lock, err = lockDir(path)
		if err == nil {
			return path, lock, nil
		}
		if !errors.Is(err, errNotOurs) {
			os.Remove(path)
			return "", nil, err
		}
	}
	return "", nil, fmt.Errorf("lease: %s%c%s*: %w", parent, filepath.Separator, prefix, err)
}

// errNotOurs means that somebody else has the lock, or has removed the
// directory.
var errNotOurs = errors.New("locked or removed by another process")

// lockDir locks a directory that is root's alone to change.
func lockDir(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil, errNotOurs
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	if err := lockOpened(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func lockOpened(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return errNotOurs
	} else if err != nil {
		return fmt.Errorf("flock %s: %w", f.Name(), err)
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

// SweepScratch removes the directories of Scratch below parent whose owners are
// dead. What is not root's, what is no directory, and what is locked stays.
func SweepScratch(parent, prefix string) error {
	root, err := os.OpenRoot(parent)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nobody has made one
	}
	if err != nil {
		return fmt.Errorf("lease: sweep: %w", err)
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return fmt.Errorf("lease: sweep: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("lease: sweep: %w", err)
	}
	for _, name := range names {
		path := filepath.Join(parent, name)
		if !strings.HasPrefix(name, prefix) || checkPrivate(path) != nil {
			continue
		}
		f, err := lockDir(path)
		if err != nil {
			continue // its owner lives, or it is gone
		}
		// Held until it is gone, so that its maker, if there is one still, sees
		// that it was taken. In a sticky directory nobody but root can put
		// something else in its place.
		err = root.RemoveAll(name)
		f.Close()
		if err != nil {
			return fmt.Errorf("lease: sweep %s: %w", path, err)
		}
	}
	return nil
}
