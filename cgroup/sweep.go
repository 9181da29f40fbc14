package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sweepTimeout bounds a sweep: killed processes are gone in milliseconds
// unless the kernel itself holds them.
const sweepTimeout = 10 * time.Second

// Sweep kills everything in and below the parents that an earlier daemon left
// behind, waits for the end of it at most 10 s, and removes the leaves and the
// parents. Paths that do not exist are fine; nothing outside of the paths is
// touched. It refuses, before doing anything, a path that is no cgroup, that
// is no possible name of a parent, or that the caller itself is in.
//
// Preconditions: no living daemon owns these parents (the caller holds their
// lease).
func Sweep(parentPaths []string) error {
	var dirs []string
	for _, p := range parentPaths {
		there, err := sweepable(p)
		if err != nil {
			return fmt.Errorf("cgroup: sweep %s: %w", p, err)
		}
		if there {
			dirs = append(dirs, p)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), sweepTimeout)
	defer cancel()
	for pause := newBackoff(20 * time.Millisecond); ; {
		err := sweepOnce(dirs)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || pause.sleep(ctx) != nil {
			return fmt.Errorf("cgroup: sweep: %w", err)
		}
	}
}

// sweepOnce kills in all hierarchies before it removes in any.
func sweepOnce(dirs []string) error {
	for _, dir := range dirs {
		if err := killTree(dir); err != nil {
			return err
		}
	}
	return removeAll(dirs)
}

func sweepable(path string) (there bool, err error) {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return false, errors.New("not a clean absolute path")
	}
	if err := validName(filepath.Base(path)); err != nil {
		return false, err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.IsDir() || !onCgroupFS(path, false) && !onCgroupFS(path, true) {
		return false, errors.New("not a cgroup")
	}
	own, err := ownGroups()
	if err != nil {
		return false, err
	}
	for _, g := range own {
		if path == g.point || strings.HasPrefix(g.dir+"/", path+"/") {
			return false, errors.New("the caller is in it")
		}
	}
	return true, nil
}
