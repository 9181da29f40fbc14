package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
)

// Admit lets members of a host group be born in the leaf, by clone3 with
// CLONE_INTO_CGROUP: that asks for the right to write to cgroup.procs of the leaf
// and of what the leaf and their own group have in common, which must be the
// parent. On v1, where a tasks file that is open carries the right of who opened
// it, there is nothing to do.
func (l *Leaf) Admit(gid uint32) error {
	if l.h.version != V2 {
		return nil
	}
	for _, dir := range []string{l.h.parents[0].dir, l.dirs[0]} {
		file := filepath.Join(dir, procsFile)
		if err := os.Chown(file, -1, int(gid)); err != nil {
			return fmt.Errorf("cgroup: admit to leaf %s: %w", l.name, err)
		}
		if err := os.Chmod(file, 0o664); err != nil {
			return fmt.Errorf("cgroup: admit to leaf %s: %w", l.name, err)
		}
	}
	return nil
}
