package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// steps make the system, in this order.
var steps = []struct {
	name string
	do   func() error
}{
	{"leave the initial root", leaveRootfs},
	{"mount file systems", mountAll},
	{"open console", openConsole},
	{"share mounts", shareMounts},
	{"enable cgroup controllers", enableControllers},
	{"loopback up", loopbackUp},
	{"quiet kernel", quietKernel},
	{"host name", func() error { return unix.Sethostname([]byte("vmtest")) }},
}

// leaveRootfs puts a bind mount of the initial root on top of it. pivot_root
// answers EINVAL while the root is the very first mount, since that one has no
// parent, and unshare of a user namespace answers EPERM to a chroot that is
// not the top of its namespace; a mount moved onto / satisfies both and
// copies nothing.
func leaveRootfs() error {
	const stage = "/newroot"
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("/", stage, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	if err := unix.Chdir(stage); err != nil {
		return fmt.Errorf("chdir: %w", err)
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("move: %w", err)
	}
	if err := unix.Chroot("."); err != nil {
		return fmt.Errorf("chroot: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return fmt.Errorf("chdir: %w", err)
	}
	return os.Remove(stage)
}

func mountAll() error {
	const plain = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, m := range []struct {
		fs, at, data string
		flags        uintptr
	}{
		{"proc", "/proc", "", plain},
		{"sysfs", "/sys", "", plain},
		{"securityfs", "/sys/kernel/security", "", plain},
		{"cgroup2", "/sys/fs/cgroup", "nsdelegate,memory_recursiveprot", plain},
		{"devtmpfs", "/dev", "mode=0755", unix.MS_NOSUID},
		{"devpts", "/dev/pts", "newinstance,ptmxmode=0666,mode=0620", unix.MS_NOSUID | unix.MS_NOEXEC},
		{"tmpfs", "/dev/shm", "mode=1777", unix.MS_NOSUID | unix.MS_NODEV},
		{"tmpfs", "/run", "mode=0755", unix.MS_NOSUID | unix.MS_NODEV},
		// Test binaries re-execute copies of themselves from here: no noexec.
		{"tmpfs", "/tmp", "mode=1777", unix.MS_NOSUID | unix.MS_NODEV},
	} {
		if err := os.MkdirAll(m.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.fs, m.at, m.fs, m.flags, m.data); err != nil {
			return fmt.Errorf("%s on %s: %w", m.fs, m.at, err)
		}
	}
	return nil
}

// openConsole takes the console again from the devtmpfs: the descriptors that
// the kernel opened lie on the node of the archive, below the new mounts.
func openConsole() error {
	fd, err := unix.Open("/dev/console", unix.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	for std := range 3 {
		if err := unix.Dup2(fd, std); err != nil {
			return err
		}
	}
	return unix.Close(fd)
}

// shareMounts makes propagation what it is on a host under systemd, where a
// careless jail leaks its mounts into the host.
func shareMounts() error {
	return unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, "")
}

// enableControllers does what the init of a real host has done before a
// service starts: the product itself never writes an ancestor's file.
func enableControllers() error {
	have, err := os.ReadFile("/sys/fs/cgroup/cgroup.controllers")
	if err != nil {
		return err
	}
	for _, c := range strings.Fields(string(have)) {
		if err := os.WriteFile("/sys/fs/cgroup/cgroup.subtree_control", []byte("+"+c), 0); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

func loopbackUp() (err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}

// quietKernel keeps reports of out-of-memory kills, which the tests provoke,
// from cutting through lines; a panic still shows.
func quietKernel() error {
	return os.WriteFile("/proc/sys/kernel/printk", []byte("1 4 1 7"), 0)
}
