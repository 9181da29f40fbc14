// Package host says, layer by layer, whether this machine has what a jail is
// made of, what the layer is used for, and what to do where it is missing. It
// asks the kernel by using each feature harmlessly, never by version number: a
// feature can be compiled out, or switched off by an administrator.
package host

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/landlock"
)

// Finding is one row of the answer.
type Finding struct {
	Layer   string `json:"layer"`
	UsedFor string `json:"used_for"`
	OK      bool   `json:"ok"`
	Detail  string `json:"detail,omitempty"` // what was found
	Remedy  string `json:"remedy,omitempty"` // where OK is false, what to do; where it is true, what would make runs faster
}

// check is one row before it is asked. probe gives what was found, or why it
// is missing.
type check struct {
	layer, usedFor, remedy string
	probe                  func() (string, error)
}

// Check asks everything. Where a row is not OK, serve refuses.
func Check(options cgroup.Options) []Finding {
	var findings []Finding
	for _, c := range checks(options) {
		detail, err := c.probe()
		f := Finding{Layer: c.layer, UsedFor: c.usedFor, OK: err == nil, Detail: detail}
		if err != nil {
			f.Detail, f.Remedy = err.Error(), c.remedy
			var r *remedied
			if errors.As(err, &r) {
				f.Remedy = r.remedy
			}
		}
		findings = append(findings, f)
	}
	return append(findings, forks("/proc/sys"))
}

// remedied is a missing layer whose remedy depends on what was found.
type remedied struct{ what, remedy string }

func (r *remedied) Error() string { return r.what }

func checks(options cgroup.Options) []check {
	list := []check{
		{"machine", "the filters are written for one system call table", "run it on x86_64", func() (string, error) {
			if runtime.GOARCH != "amd64" {
				return "", fmt.Errorf("this is %s", runtime.GOARCH)
			}
			return "x86_64, Linux " + release(), nil
		}},
		{"root", "making namespaces for other uids, cgroups and mounts", "start it as root: with sudo, or as a system service", func() (string, error) {
			if os.Geteuid() != 0 {
				return "", fmt.Errorf("this is uid %d", os.Geteuid())
			}
			return "uid 0", nil
		}},
	}
	for _, ns := range []struct{ name, usedFor, config string }{
		{"user", "init and program have unprivileged host uids of their own", "CONFIG_USER_NS"},
		{"mnt", "the program sees a read-only root of its own", "CONFIG_NAMESPACES"},
		{"pid", "the program sees and signals no other process, and dies with its init", "CONFIG_PID_NS"},
		{"net", "the program has no network", "CONFIG_NET_NS"},
		{"ipc", "no shared memory or queue is reachable", "CONFIG_IPC_NS"},
		{"uts", "the host's name is hidden", "CONFIG_UTS_NS"},
		{"cgroup", "the host's cgroups are hidden", "CONFIG_CGROUPS"},
	} {
		list = append(list, check{
			ns.name + " namespace", ns.usedFor,
			"use a kernel with " + ns.config + ", and allow namespaces (sysctl user.max_" + ns.name + "_namespaces above 0)",
			func() (string, error) { return probeNamespace(ns.name) },
		})
	}
	return append(list,
		check{"cgroup", "limits and counts memory, tasks and CPU; ends a run as a whole", "", func() (string, error) { return probeCgroup(options) }},
		check{"landlock", "no file but the image and /tmp, no TCP, no signals to the init", "boot a kernel of 5.13 or later with landlock among lsm= (CONFIG_SECURITY_LANDLOCK)", probeLandlock},
		check{"seccomp filter", "allowlist of system calls on every thread", "use a kernel of 5.7 or later with CONFIG_SECCOMP_FILTER", probeSeccomp},
		check{"seccomp notification", "refused calls are reported by name", "use a kernel of 5.5 or later", probeNotification},
		check{"mount API", "images and device nodes that are mounted nowhere on the host", "use a kernel of 5.12 or later (fsopen, fsmount, move_mount, mount_setattr)", probeMountAPI},
		check{"pidfd", "processes are held by descriptor, and the filter's listener is taken out", "use a kernel of 5.6 or later (pidfd_open, pidfd_getfd)", probePidfd},
		check{"close_range", "no descriptor leaks into a jail", "use a kernel of 5.9 or later", probeCloseRange},
		check{"sealed memory files", "the spawner is run from a copy that nobody can change", "set sysctl vm.memfd_noexec below 2", probeMemfd},
	)
}

func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

func probeNamespace(name string) (string, error) {
	if _, err := os.Stat("/proc/self/ns/" + name); err != nil {
		return "", err
	}
	limit, err := os.ReadFile("/proc/sys/user/max_" + name + "_namespaces")
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(limit))
	if text == "0" {
		return "", errors.New("user.max_" + name + "_namespaces is 0")
	}
	return "at most " + text, nil
}

func probeCgroup(options cgroup.Options) (string, error) {
	report, err := cgroup.Probe(options)
	if err != nil {
		return "", err
	}
	if report.Version == 0 {
		return "", &remedied{report.Reason, report.Remedy}
	}
	detail := report.Version.String() + ", below " + strings.Join(report.Base, ", ")
	if report.Moves {
		detail += "; the daemon moves itself into a subgroup first"
	}
	return detail, nil
}

func probeLandlock() (string, error) {
	abi, err := landlock.ABI()
	if err != nil {
		return "", err
	}
	detail := fmt.Sprintf("ABI %d", abi)
	if missing := landlock.Missing(abi); len(missing) > 0 {
		detail += "; not controlled on this kernel: " + strings.Join(missing, ", ")
	}
	return detail, nil
}

func probeSeccomp() (string, error) {
	for _, action := range []uint32{unix.SECCOMP_RET_KILL_PROCESS, unix.SECCOMP_RET_ERRNO, unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_RET_ALLOW} {
		if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))); errno != 0 {
			return "", fmt.Errorf("action %#x: %w", action, errno)
		}
	}
	// A null program is EFAULT where the flags are known, EINVAL where not.
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, 0); errno != unix.EFAULT {
		return "", fmt.Errorf("a listener for all threads at once: %w", errno)
	}
	return "filters with a listener on all threads", nil
}

func probeNotification() (string, error) {
	var sizes struct{ notif, resp, data uint16 }
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0, uintptr(unsafe.Pointer(&sizes))); errno != 0 {
		return "", errno
	}
	return "available", nil
}

func probeMountAPI() (string, error) {
	fd, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return "", fmt.Errorf("fsopen: %w", err)
	}
	unix.Close(fd)
	if err := unix.MountSetattr(-1, "", 0, &unix.MountAttr{}); err == unix.ENOSYS {
		return "", fmt.Errorf("mount_setattr: %w", err)
	}
	return "available", nil
}

func probePidfd() (string, error) {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return "", fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	copied, err := unix.PidfdGetfd(fd, fd, 0)
	if err != nil {
		return "", fmt.Errorf("pidfd_getfd: %w", err)
	}
	unix.Close(copied)
	return "available", nil
}

func probeCloseRange() (string, error) {
	const nowhere = 1 << 30
	if err := unix.CloseRange(nowhere, nowhere, 0); err != nil {
		return "", err
	}
	return "available", nil
}

func probeMemfd() (string, error) {
	fd, err := unix.MemfdCreate("probe", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, syscall.EINVAL) {
		fd, err = unix.MemfdCreate("probe", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return "", err
	}
	unix.Close(fd)
	return "available", nil
}
