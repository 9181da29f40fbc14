//go:build vmtest

package probe

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func text(path string) func() (string, error) {
	return func() (string, error) {
		b, err := os.ReadFile(path)
		return strings.TrimSpace(string(b)), err
	}
}

func number(low uint64) func(string) bool {
	return func(s string) bool {
		var n uint64
		_, err := fmt.Sscan(s, &n)
		return err == nil && n >= low
	}
}

func hasAll(sep string, want ...string) func(string) bool {
	return func(s string) bool {
		have := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(sep, r) })
		return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
	}
}

func is(want string) func(string) bool { return func(s string) bool { return s == want } }

// TestKernelFacts prints what this kernel has and demands the least that the
// product's layers need.
func TestKernelFacts(t *testing.T) {
	for _, row := range []struct {
		name   string
		get    func() (string, error)
		enough func(string) bool
	}{
		{"security modules include landlock", text("/sys/kernel/security/lsm"), hasAll(",", "landlock")},
		{"landlock answers with its ABI", landlockABI, number(1)},
		{"user namespaces may be made", text("/proc/sys/user/max_user_namespaces"), number(1)},
		{"seccomp has a user notification", text("/proc/sys/kernel/seccomp/actions_avail"), hasAll(" ", "user_notif", "kill_process")},
		{"seccomp takes the flags of a listener together", listenerFlags, is("EFAULT")},
		{"the root has the controllers", text(cgroupRoot + "/cgroup.controllers"), hasAll(" ", "cpuset", "cpu", "io", "memory", "hugetlb", "pids")},
		{"children get the controllers", text(cgroupRoot + "/cgroup.subtree_control"), hasAll(" ", "cpuset", "cpu", "io", "memory", "hugetlb", "pids")},
		{"this process is in the root cgroup", text("/proc/self/cgroup"), is("0::/")},
		{"a descriptor can be taken from a process", takeDescriptor, is("same file")},
		{"mounts can be made by descriptor", mountByDescriptor, is("read-only")},
		{"the clock is read without a system call", text("/sys/devices/system/clocksource/clocksource0/current_clocksource"), is("tsc")},
		{"loopback is up", text("/sys/class/net/lo/operstate"), is("unknown")}, // what an up loopback says
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.get()
			require.NoError(t, err)
			t.Log(got)
			assert.True(t, row.enough(got), got)
		})
	}
}

func landlockABI() (string, error) {
	const version = 1 // LANDLOCK_CREATE_RULESET_VERSION
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version)
	if errno != 0 {
		return "", errno
	}
	return fmt.Sprint(abi), nil
}

// listenerFlags asks without a filter: EFAULT says that the flags were
// accepted, EINVAL that one of them or their combination is unknown.
func listenerFlags() (string, error) {
	const flags = unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER |
		unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, 0)
	return unix.ErrnoName(errno), nil
}

func takeDescriptor() (string, error) {
	pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return "", err
	}
	fd, err := unix.PidfdGetfd(pidfd, 0, 0)
	if err != nil {
		return "", err
	}
	var a, b unix.Stat_t
	if err := unix.Fstat(0, &a); err != nil {
		return "", err
	}
	if err := unix.Fstat(fd, &b); err != nil {
		return "", err
	}
	if a.Ino != b.Ino || a.Dev != b.Dev {
		return "another file", nil
	}
	return "same file", nil
}

func mountByDescriptor() (verdict string, err error) {
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return "", fmt.Errorf("fsopen: %w", err)
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return "", fmt.Errorf("fsconfig: %w", err)
	}
	mnt, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("fsmount: %w", err)
	}
	at, err := os.MkdirTemp("", "probe-mount-")
	if err != nil {
		return "", err
	}
	if err := unix.MoveMount(mnt, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return "", fmt.Errorf("move_mount: %w", err)
	}
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(mnt, "", unix.AT_EMPTY_PATH, attr); err != nil {
		return "", fmt.Errorf("mount_setattr: %w", err)
	}
	verdict = "writable"
	if err := os.WriteFile(at+"/x", nil, 0o600); err != nil {
		verdict = "read-only"
	}
	if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
		return "", fmt.Errorf("umount: %w", err)
	}
	return verdict, os.Remove(at)
}
