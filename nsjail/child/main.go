package child

import (
	"os"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// Names under which the program is started; anything else is refused. An init
// goes on as another program (shim.Supervisor).
const (
	SpawnerName    = "safe-exec-spawner"
	InitName       = "safe-exec-init"
	SupervisorName = "safe-exec-supervisor"
)

// Exit statuses that the daemon may find in its log; a jail's verdict never
// depends on them.
const (
	exitOK      = 0
	exitFault   = 70 // a step failed and was reported
	exitNoFrame = 71 // the other side is gone or speaks nonsense
	exitUsage   = 64
)

// Main runs the role that name asks for and returns the exit status. It must be
// called from the main goroutine before anything else, and that must be locked to
// the first thread (runtime.LockOSThread during initialisation): a leader that
// moved itself into a leaf of cgroup v1 would charge the whole process there.
func Main(name string) int {
	switch name {
	case SpawnerName:
		return spawnerMain(wire.FDControl)
	case InitName:
		// It allocates a few kilobytes; a collector would only start threads.
		debug.SetGCPercent(-1)
		return initMain(wire.FDControl)
	}
	_, _ = os.Stderr.WriteString("safe-exec-init: started by the safe-exec daemon only\n")
	return exitUsage
}

// fault is a failed step: its name and the kernel's answer.
type fault struct {
	step  string
	errno syscall.Errno
}

func (f *fault) Error() string { return f.step + ": " + f.errno.Error() }

// stepError makes a fault of any error; what is no errno becomes EPROTO.
func stepError(step string, err error) *fault {
	if err == nil {
		return nil
	}
	if f, ok := err.(*fault); ok { // one of a program's own steps
		return f
	}
	errno, ok := err.(syscall.Errno)
	if !ok {
		errno = syscall.EPROTO
	}
	return &fault{step, errno}
}

func (f *fault) event() wire.Event {
	return wire.Event{Kind: wire.EventFault, Step: f.step, Errno: uint32(f.errno)}
}

func report(fd int, e wire.Event, fds ...int) error {
	return wire.SendPacket(fd, e.Encode(), fds...)
}

func prctl(option, a2, a3, a4, a5 uintptr) error {
	if _, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, option, a2, a3, a4, a5, 0); errno != 0 {
		return errno
	}
	return nil
}
