package seccomp

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Install loads the filter on the calling thread; threads and processes it
// starts later inherit it, and it can never be taken off again. The error is an
// *os.SyscallError with the kernel's errno (EACCES without no_new_privs).
//
// Preconditions: the calling goroutine is locked to its thread, and no_new_privs
// is set on it.
func Install(p Program) error { return load(p, 0) }

// InstallAllThreads loads the filter on every thread of the process at once
// (SECCOMP_FILTER_FLAG_TSYNC, Linux 3.17) and sets no_new_privs on them if the
// calling thread has it. ESRCH means that some thread has a filter which this
// one is not built upon.
//
// Preconditions: the calling goroutine is locked to its thread, and no_new_privs
// is set on it.
func InstallAllThreads(p Program) error {
	// Without TSYNC_ESRCH the kernel answers a thread's id where it fails,
	// which looks like success to whoever checks for errno.
	return load(p, unix.SECCOMP_FILTER_FLAG_TSYNC|unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH)
}

func load(p Program, flags uintptr) error {
	if len(p) == 0 || len(p) > maxInstructions {
		return os.NewSyscallError("seccomp", unix.EINVAL) // Len would wrap
	}
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: unsafe.SliceData(p)}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(p)
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}
