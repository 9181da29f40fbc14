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

	"golang.org/x/sys/unix"
)

// tree lists dir and the groups below it, outermost first.
func tree(dir string) ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		if d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	return dirs, err
}

// removeTree removes a group and all below it. EBUSY means that processes are
// still there.
func removeTree(dir string) error {
	err := rmdir(dir)
	if err == nil {
		return nil
	}
	dirs, treeErr := tree(dir)
	if treeErr != nil {
		return errors.Join(err, treeErr)
	}
	for _, d := range slices.Backward(dirs) {
		if err := rmdir(d); err != nil {
			return err
		}
	}
	return nil
}

func rmdir(dir string) error {
	err := unix.Rmdir(dir)
	for errors.Is(err, unix.EINTR) {
		err = unix.Rmdir(dir)
	}
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	return fmt.Errorf("remove %s: %w", filepath.Base(dir), err)
}

// removeAll tries every directory, so that one that is busy keeps no other.
func removeAll(dirs []string) error {
	var errs []error
	for _, d := range dirs {
		errs = append(errs, removeTree(d))
	}
	return errors.Join(errs...)
}

// makeAll makes directories that must not exist, all or none.
func makeAll(dirs []string) error {
	for i, d := range dirs {
		if err := os.Mkdir(d, 0o755); err != nil {
			return errors.Join(err, removeAll(dirs[:i]))
		}
	}
	return nil
}

// backoff waits a little longer each time, up to a bound.
type backoff struct{ next, most time.Duration }

func newBackoff(most time.Duration) *backoff {
	return &backoff{next: 50 * time.Microsecond, most: most}
}

// sleep returns the context's error if it ends first.
func (b *backoff) sleep(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := time.NewTimer(b.next)
	defer t.Stop()
	b.next = min(2*b.next, b.most)
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
