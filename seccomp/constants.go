package seccomp

import "golang.org/x/sys/unix"

// constant gives the value of a name that a policy's text may use. It is a
// switch and not a map because a map would be built at every start of every
// program that links this package.
func constant(name string) (uint64, bool) {
	switch name {
	case "int":
		return lowInt, true

	case "AF_UNIX":
		return unix.AF_UNIX, true
	case "SOCK_STREAM":
		return unix.SOCK_STREAM, true
	case "SOCK_CLOEXEC":
		return unix.SOCK_CLOEXEC, true

	case "PROT_WRITE":
		return unix.PROT_WRITE, true
	case "PROT_EXEC":
		return unix.PROT_EXEC, true
	case "PROT_GROWSDOWN":
		return unix.PROT_GROWSDOWN, true
	case "PROT_GROWSUP":
		return unix.PROT_GROWSUP, true
	case "MAP_ANONYMOUS":
		return unix.MAP_ANONYMOUS, true

	case "MADV_DONTNEED":
		return unix.MADV_DONTNEED, true
	case "MADV_FREE":
		return unix.MADV_FREE, true
	case "MADV_DONTFORK":
		return unix.MADV_DONTFORK, true
	case "MADV_HUGEPAGE":
		return unix.MADV_HUGEPAGE, true
	case "MADV_NOHUGEPAGE":
		return unix.MADV_NOHUGEPAGE, true
	case "MADV_COLLAPSE":
		return unix.MADV_COLLAPSE, true

	case "MREMAP_MAYMOVE":
		return unix.MREMAP_MAYMOVE, true

	case "SIGURG":
		return uint64(unix.SIGURG), true

	case "CLONE_VM":
		return unix.CLONE_VM, true
	case "CLONE_FS":
		return unix.CLONE_FS, true
	case "CLONE_FILES":
		return unix.CLONE_FILES, true
	case "CLONE_SIGHAND":
		return unix.CLONE_SIGHAND, true
	case "CLONE_THREAD":
		return unix.CLONE_THREAD, true
	case "CLONE_SYSVSEM":
		return unix.CLONE_SYSVSEM, true
	case "CLONE_SETTLS":
		return unix.CLONE_SETTLS, true
	case "CLONE_PARENT_SETTID":
		return unix.CLONE_PARENT_SETTID, true
	case "CLONE_CHILD_CLEARTID":
		return unix.CLONE_CHILD_CLEARTID, true

	case "F_DUPFD":
		return unix.F_DUPFD, true
	case "F_DUPFD_CLOEXEC":
		return unix.F_DUPFD_CLOEXEC, true
	case "F_GETFD":
		return unix.F_GETFD, true
	case "F_SETFD":
		return unix.F_SETFD, true
	case "F_GETFL":
		return unix.F_GETFL, true
	case "F_SETFL":
		return unix.F_SETFL, true
	case "F_GETLK":
		return unix.F_GETLK, true
	case "F_SETLK":
		return unix.F_SETLK, true
	case "F_OFD_GETLK":
		return unix.F_OFD_GETLK, true
	case "F_OFD_SETLK":
		return unix.F_OFD_SETLK, true
	case "F_OFD_SETLKW":
		return unix.F_OFD_SETLKW, true

	case "TCGETS":
		return unix.TCGETS, true
	case "TIOCGWINSZ":
		return unix.TIOCGWINSZ, true
	case "FIOCLEX":
		return 0x5451, true // asm-generic/ioctls.h, as the next
	case "FIONCLEX":
		return 0x5450, true
	case "FIONREAD":
		return unix.TIOCINQ, true
	case "FIONBIO":
		return 0x5421, true

	case "PR_SET_NAME":
		return unix.PR_SET_NAME, true
	case "PR_GET_NAME":
		return unix.PR_GET_NAME, true
	case "PR_SET_VMA":
		return unix.PR_SET_VMA, true
	case "PR_SET_DUMPABLE":
		return unix.PR_SET_DUMPABLE, true
	case "PR_GET_NO_NEW_PRIVS":
		return unix.PR_GET_NO_NEW_PRIVS, true

	case "FUTEX_CMD_MASK":
		// linux/futex.h: all but FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME,
		// of the 32 bits that the kernel reads.
		return lowInt &^ (128 | 256), true
	case "FUTEX_PRIVATE_FLAG":
		return 128, true
	case "FUTEX_WAIT":
		return 0, true
	case "FUTEX_WAKE":
		return 1, true
	case "FUTEX_WAIT_BITSET":
		return 9, true

	case "MSG_NOSIGNAL":
		return unix.MSG_NOSIGNAL, true
	case "P_PIDFD":
		return unix.P_PIDFD, true
	case "WEXITED":
		return unix.WEXITED, true

	case "SECCOMP_SET_MODE_FILTER":
		return unix.SECCOMP_SET_MODE_FILTER, true
	case "SECCOMP_FILTER_FLAG_TSYNC":
		return unix.SECCOMP_FILTER_FLAG_TSYNC, true
	case "SECCOMP_FILTER_FLAG_TSYNC_ESRCH":
		return unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH, true
	case "SECCOMP_FILTER_FLAG_NEW_LISTENER":
		return unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, true
	case "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV":
		return unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, true
	}
	return 0, false
}
