package child

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// cloneArgs is struct clone_args of clone3(2), as of Linux 5.7.
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64
	setTID, setTIDSize, cgroup                                           uint64
}

// start is a fork under way.
type start struct {
	program program
	pid     int32  // what the child is to be in this pid namespace; 0 is any
	errPipe [2]int // [1] is the child's: number of the operation that failed, and errno
}

// newStart makes the pipe that tells how the exec went. Both ends are
// close-on-exec, so an exec that succeeds closes it.
func newStart() (*start, error) {
	var s start
	if err := unix.Pipe2(s.errPipe[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	return &s, nil
}

// fork starts the child and gives its pid and pidfd.
func (s *start) fork(flags uint64, cgroup int) (pid, pidfd int, err error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	calls, err := s.program.load(&pins)
	if err != nil {
		unix.Close(s.errPipe[0])
		unix.Close(s.errPipe[1])
		return 0, -1, err
	}
	fd, tid := new(int32), new(int32)
	pins.Pin(fd)
	pins.Pin(tid)
	args := &cloneArgs{
		flags: flags | unix.CLONE_PIDFD, pidfd: uint64(uintptr(unsafe.Pointer(fd))),
		exitSignal: uint64(unix.SIGCHLD),
	}
	if s.pid != 0 {
		*tid = s.pid
		args.setTID, args.setTIDSize = uint64(uintptr(unsafe.Pointer(tid))), 1
	}
	if cgroup >= 0 {
		args.flags |= unix.CLONE_INTO_CGROUP
		args.cgroup = uint64(cgroup)
	}
	pid, errno := forkOps(calls, s.errPipe[1], args)
	unix.Close(s.errPipe[1])
	if errno != 0 {
		unix.Close(s.errPipe[0])
		return 0, -1, errno
	}
	return pid, int(*fd), nil
}

// wait returns when the child is executing its program, or with the step that
// failed.
func (s *start) wait() error {
	var failed [2]uint32
	n, err := readFull(s.errPipe[0], unsafe.Slice((*byte)(unsafe.Pointer(&failed)), unsafe.Sizeof(failed)))
	unix.Close(s.errPipe[0])
	switch {
	case err != nil:
		return err
	case n == 0:
		return nil
	case n < int(unsafe.Sizeof(failed)) || int(failed[0]) >= len(s.program.ops):
		return syscall.EPROTO
	}
	return &fault{s.program.ops[failed[0]].step, syscall.Errno(failed[1])}
}

func readFull(fd int, b []byte) (int, error) {
	total := 0
	for total < len(b) {
		n, err := unix.Read(fd, b[total:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return total, err
		}
		if n == 0 {
			break
		}
		total += n
	}
	return total, nil
}

//go:linkname runtimeBeforeFork syscall.runtime_BeforeFork
func runtimeBeforeFork()

//go:linkname runtimeAfterFork syscall.runtime_AfterFork
func runtimeAfterFork()

//go:linkname runtimeAfterForkInChild syscall.runtime_AfterForkInChild
func runtimeAfterForkInChild()

// forkOps forks this thread and performs ops in the child. In the child only
// raw system calls are allowed, and functions that take no room on the stack: other
// threads do not exist there, so a lock they held would never be released.
//
// Preconditions: the calling goroutine is locked to its thread.
//
//go:noinline
//go:norace
//go:nocheckptr
func forkOps(ops []call, errPipe int, args *cloneArgs) (int, syscall.Errno) {
	var (
		i      int
		errno  syscall.Errno
		value  uintptr
		failed [2]uint32
	)
	runtimeBeforeFork()
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(args)), unsafe.Sizeof(*args), 0)
	if errno != 0 || pid != 0 {
		runtimeAfterFork()
		return int(pid), errno
	}
	runtimeAfterForkInChild()
	for i = 0; i < len(ops); i++ {
		o := &ops[i]
		value, _, errno = unix.RawSyscall6(o.nr, o.args[0], o.args[1], o.args[2], o.args[3], o.args[4], 0)
		if !o.answered(value, errno) {
			break
		}
	}
	failed[0], failed[1] = uint32(i), uint32(errno)
	unix.RawSyscall(unix.SYS_WRITE, uintptr(errPipe), uintptr(unsafe.Pointer(&failed)), unsafe.Sizeof(failed))
	for {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, exitFault, 0, 0)
	}
}
