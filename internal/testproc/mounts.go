package testproc

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownMounts marks a process that has its mounts to itself.
const ownMounts = "SAFE_EXEC_TEST_OWN_MOUNTS"

// OwnMounts gives a test program, and what it starts, mounts of its own: some tests count
// mounts while other processes make some. OwnMounts executes the test program again.
// Without root it does nothing.
//
// Preconditions: TestMain calls it before all else.
func OwnMounts() {
	if os.Getenv(ownMounts) != "" || os.Geteuid() != 0 {
		return
	}
	runtime.LockOSThread() // execve keeps the namespace of this thread
	err := unix.Unshare(unix.CLONE_NEWNS)
	if err == nil {
		err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	}
	if err == nil {
		err = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), ownMounts+"=1"))
	}
	panic(err)
}
