package seccomp

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Action is what the kernel does with a system call, as a filter's return value
// (SECCOMP_RET_*). The zero value is none of the actions below.
type Action uint32

const (
	Allow       Action = unix.SECCOMP_RET_ALLOW
	Notify      Action = unix.SECCOMP_RET_USER_NOTIF // ask the listener; ENOSYS where nobody listens. Linux 5.0
	KillProcess Action = unix.SECCOMP_RET_KILL_PROCESS
)

// maxErrno is the kernel's MAX_ERRNO: a filter's larger value is cut to it.
const maxErrno = 4095

// Errno refuses the call with errno, which must be 1 to 4095: an errno of 0
// would report success for a call that never happened.
func Errno(errno unix.Errno) Action {
	return unix.SECCOMP_RET_ERRNO | Action(errno)&unix.SECCOMP_RET_DATA
}

// Errno is the error that the action answers, and whether it is that kind of
// action.
func (a Action) Errno() (unix.Errno, bool) {
	n := a & unix.SECCOMP_RET_DATA
	return unix.Errno(n), a&unix.SECCOMP_RET_ACTION_FULL == unix.SECCOMP_RET_ERRNO && n > 0 && n <= maxErrno
}

// Valid says whether a is one of the four kinds of action.
func (a Action) Valid() bool {
	_, errno := a.Errno()
	return errno || a == Allow || a == Notify || a == KillProcess
}

// String is the action as a policy's text has it.
func (a Action) String() string {
	switch a {
	case Allow:
		return "allow"
	case Notify:
		return "notify"
	case KillProcess:
		return "kill"
	}
	if errno, ok := a.Errno(); ok {
		if name := unix.ErrnoName(errno); name != "" {
			return "errno " + name
		}
		return fmt.Sprintf("errno %d", int(errno))
	}
	return fmt.Sprintf("invalid action %#x", uint32(a))
}

func parseAction(text string) (Action, error) {
	f := strings.Fields(text)
	switch {
	case len(f) == 1 && f[0] == "allow":
		return Allow, nil
	case len(f) == 1 && f[0] == "notify":
		return Notify, nil
	case len(f) == 1 && f[0] == "kill":
		return KillProcess, nil
	case len(f) == 2 && f[0] == "errno":
		if errno := errnoByName(f[1]); errno != 0 {
			return Errno(errno), nil
		}
		return 0, fmt.Errorf("unknown errno %q", f[1])
	}
	return 0, fmt.Errorf("unknown action %q: want allow, notify, kill or errno NAME", text)
}

func errnoByName(name string) unix.Errno {
	for n := unix.Errno(1); n < 134; n++ { // EHWPOISON, the last one, is 133
		if unix.ErrnoName(n) == name {
			return n
		}
	}
	return 0
}
