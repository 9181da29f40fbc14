//go:build vmtest

package probe

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childEnv makes the test binary one of the children below instead.
const childEnv = "PROBE_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(child(role))
	}
	if os.Getenv("SAFEEXEC_VM") != "1" {
		fmt.Fprintln(os.Stderr, "probe: these tests take a machine for themselves; run them by make vmtest")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// child plays a program that a leaf has to hold.
func child(role string) int {
	switch role {
	case "sleep":
		time.Sleep(time.Hour)
	case "exit":
	case "touch": // 8 MiB, within every limit
		touch(8)
	case "eat":
		touch(4096)
	case "fork":
		return forkUntilRefused()
	case "headless":
		return headless()
	case "pivot":
		return pivot()
	case "whoami":
		host, err := os.Readlink("/proc/self/ns/pid")
		if err != nil {
			return 1
		}
		groups, err := os.ReadFile("/proc/self/cgroup")
		if err != nil {
			return 1
		}
		// proc is the parent's, so it shows the pid namespace by its link.
		fmt.Printf("pid=%d uid=%d ns=%s cgroup=%s\n", os.Getpid(), os.Getuid(), host, strings.TrimSpace(string(groups)))
	default:
		return 2
	}
	return 0
}

// headless lives on in other threads when its first has ended.
func headless() int {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		return 3
	}
	go func() { time.Sleep(time.Hour) }()
	_, _, errno := unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0) // of the thread, not the process
	return int(errno)
}

// pivot makes the working directory's root a tmpfs as a jail does, and exits
// with the errno of the call that failed.
func pivot() int {
	for _, call := range []func() error{
		func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, "") },
		func() error { return unix.Mount("root", "/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=1m") },
		func() error { return unix.Chdir("/tmp") },
		func() error { return unix.PivotRoot(".", ".") },
		func() error { return unix.Unmount(".", unix.MNT_DETACH) },
		func() error { return unix.Chdir("/") },
		func() error { return os.WriteFile("/alone", nil, 0o600) },
	} {
		var errno unix.Errno
		if err := call(); errors.As(err, &errno) {
			return int(errno)
		}
	}
	if left, err := os.ReadDir("/"); err != nil || len(left) != 1 {
		return 200
	}
	return 0
}

var kept [][]byte

func touch(mib int) {
	for range mib {
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
	}
}

// forkUntilRefused exits with 11 (EAGAIN) when a new task is refused.
func forkUntilRefused() int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	for range 200 {
		cmd := exec.Command(self)
		cmd.Env = []string{childEnv + "=sleep"}
		err := cmd.Start()
		if err != nil && strings.Contains(err.Error(), unix.EAGAIN.Error()) {
			return int(unix.EAGAIN)
		}
		if err != nil {
			return 1
		}
	}
	return 0
}
