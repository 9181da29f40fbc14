package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"safe-exec/internal/broker"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/lease"
)

// lookApart refuses a socket whose path, or whose lock's, the daemon needs for
// something else: before it starts neither need be there, so nothing else tells.
func (c config) lookApart() error {
	for _, mine := range []struct{ what, path string }{
		{"socket", c.Socket},
		{"socket: its lock", c.Socket + ".lock"},
	} {
		path := resolved(mine.path)
		for _, dir := range []struct{ what, path string }{
			{"state_dir", c.StateDir},
			{"the directory of leases", lease.Dir},
			{"the directory of the escape battery", escape.DefaultDir},
		} {
			if within(resolved(dir.path), path) {
				return fmt.Errorf("%s %s cannot be where %s is, %s: give one of them another path", mine.what, mine.path, dir.what, dir.path)
			}
		}
		for _, name := range append(broker.Names(), wiring.CacheName) {
			if within(path, filepath.Join(resolved(c.StateDir), name)) {
				return fmt.Errorf("%s %s is in the way of what the daemon keeps below state_dir, %s: give one of them another path",
					mine.what, mine.path, filepath.Join(c.StateDir, name))
			}
		}
	}
	return nil
}

// within says whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// resolved is a path without links in the directories that lead to it, as far as they
// are there. Its last part stays: where that is a link, it is refused elsewhere.
func resolved(path string) string {
	path, err := filepath.Abs(path)
	if err != nil || path == filepath.Dir(path) {
		return path
	}
	parent := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real
	} else if _, err := os.Lstat(parent); err != nil {
		parent = resolved(parent)
	}
	return filepath.Join(parent, filepath.Base(path))
}
