package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	subtreeControl = "cgroup.subtree_control"
	// daemonGroup is where the daemon goes when its own cgroup becomes an
	// inner one; units that set DelegateSubgroup=daemon start there.
	daemonGroup = "daemon"

	delegateRemedy = "run under systemd with Delegate=yes and DelegateSubgroup=daemon, or set enable_controllers"
)

// placeV2 decides in which cgroup the parent goes and whether the daemon must
// leave it first: a v2 cgroup other than the root gives controllers to its
// children only while no process is in it.
func placeV2(own group, o Options) (base group, moves bool, why Report) {
	up := own.parent()
	inSubgroup := filepath.Base(own.dir) == daemonGroup && own.dir != own.point
	switch {
	case isRoot(own.dir):
		enabled, err := readWords(filepath.Join(own.dir, subtreeControl))
		missing := without(V2.required(), enabled)
		if err == nil && (len(missing) == 0 || o.EnableControllers) {
			return own, false, Report{}
		}
		return own, false, Report{
			Reason: fmt.Sprintf("cgroup v2: the root cgroup %s does not give its children %s", own.dir, strings.Join(missing, ", ")),
			Remedy: delegateRemedy,
		}
	case delegated(own.dir):
		return own, true, Report{}
	case own.dir != own.point && delegated(up.dir):
		return up, false, Report{}
	case o.EnableControllers && inSubgroup && gives(up.dir, V2.required()):
		return up, false, Report{}
	case o.EnableControllers:
		return own, true, Report{}
	}
	return own, false, Report{
		Reason: fmt.Sprintf("cgroup v2: own cgroup %s is not delegated to the daemon", own.dir),
		Remedy: delegateRemedy,
	}
}

// isRoot tells the root of the hierarchy from the root of a cgroup namespace:
// only the former has no type.
func isRoot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "cgroup.type"))
	return errors.Is(err, fs.ErrNotExist)
}

// delegated reads the mark that systemd leaves on the cgroup of a unit with
// Delegate=: trusted.delegate, and user.delegate since version 251.
func delegated(dir string) bool {
	var b [8]byte
	return slices.ContainsFunc([]string{"trusted.delegate", "user.delegate"}, func(attr string) bool {
		n, err := unix.Lgetxattr(dir, attr, b[:])
		return err == nil && string(b[:n]) == "1"
	})
}

func gives(dir string, controllers []string) bool {
	enabled, err := readWords(filepath.Join(dir, subtreeControl))
	return err == nil && len(without(controllers, enabled)) == 0
}

// prepare makes base able to give its children the controllers. What it did
// stays: the cgroup is the daemon's, or the operator asked for it, and another
// holder may have come to need it.
func (s site) prepare() error {
	if s.report.Version != V2 || len(s.report.Enables) == 0 {
		return nil
	}
	base := s.base[0].dir
	if s.report.Moves {
		sub := filepath.Join(base, daemonGroup)
		if err := os.Mkdir(sub, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("cgroup: make the daemon's subgroup: %w", err)
		}
		if err := writeFile(filepath.Join(sub, procsFile), "0"); err != nil {
			return fmt.Errorf("cgroup: move the daemon into its subgroup: %w", err)
		}
	}
	return enable(base, s.report.Enables)
}

func enable(dir string, controllers []string) error {
	err := writeFile(filepath.Join(dir, subtreeControl), "+"+strings.Join(controllers, " +"))
	if errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("cgroup: enable %s: other processes are still in that cgroup: %w", strings.Join(controllers, ", "), err)
	}
	if err != nil {
		return fmt.Errorf("cgroup: enable %s: %w", strings.Join(controllers, ", "), err)
	}
	return nil
}

// writeFile writes in one call, as the kernel's files want it, and makes none.
func writeFile(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
