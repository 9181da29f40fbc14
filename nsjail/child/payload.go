package child

import (
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// payloadJob is the descriptor of the job socket in the payload.
const payloadJob = 3

// op is one system call between fork and exec.
type op struct {
	step  string
	nr    uintptr
	args  [5]uintptr
	check check
	want  uintptr // the value or errno that check demands
}

// check says what an operation must answer. A proof is a call that would
// succeed if the layer it proves were not there.
type check int

const (
	mustSucceed check = iota
	mustReturn        // want is the value
	mustFail          // want is the errno
)

// payloadOps is what the forked child does, in order, up to becoming the
// interpreter. Everything it points to is made before the fork and kept in
// j.pins, on the heap: between fork and exec there is no allocation and no Go
// runtime, and a pointer to a stack could be stale by then.
//
// errPipe is close-on-exec: it carries the number of the operation that failed,
// and closes with a successful exec.
func payloadOps(j *jail, errPipe int) []op {
	var ops []op
	add := func(step string, nr uintptr, args ...uintptr) {
		o := op{step: step, nr: nr}
		copy(o.args[:], args)
		ops = append(ops, o)
	}
	prove := func(step string, c check, want uintptr, nr uintptr, args ...uintptr) {
		add(step, nr, args...)
		ops[len(ops)-1].check, ops[len(ops)-1].want = c, want
	}
	pin := func(p unsafe.Pointer) uintptr {
		j.pins = append(j.pins, p)
		return uintptr(p)
	}
	text := func(s string) uintptr {
		p, _ := syscall.BytePtrFromString(s)
		return pin(unsafe.Pointer(p))
	}
	list := func(s []string) uintptr {
		p, _ := syscall.SlicePtrFromStrings(s)
		return pin(unsafe.Pointer(unsafe.SliceData(p)))
	}

	add("setsid", unix.SYS_SETSID) // no controlling terminal to inject into
	add("umask", unix.SYS_UMASK, 0o077)
	add("fd_stdin", unix.SYS_DUP3, uintptr(j.null), 0, 0)
	add("fd_stdout", unix.SYS_DUP3, wire.FDStdout, 1, 0)
	add("fd_stderr", unix.SYS_DUP3, wire.FDStderr, 2, 0)
	add("fd_job", unix.SYS_DUP3, wire.FDJob, payloadJob, 0)
	for _, r := range j.setup.Rlimits {
		limit := &unix.Rlimit{Cur: r.Value, Max: r.Value}
		add("rlimits", unix.SYS_PRLIMIT64, 0, uintptr(r.Resource), pin(unsafe.Pointer(limit)), 0)
	}
	// Keep-capabilities is off and locked so, or setresuid would leave some.
	prove("securebits_proof", mustReturn, securebits, unix.SYS_PRCTL, unix.PR_GET_SECUREBITS, 0, 0, 0, 0)
	prove("no_nested_userns_proof", mustFail, uintptr(unix.ENOSPC), unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	// Groups before ids, ids before capabilities: each needs what the next drops.
	add("setgroups", unix.SYS_SETGROUPS, 0, 0)
	add("setresgid", unix.SYS_SETRESGID, wire.PayloadID, wire.PayloadID, wire.PayloadID)
	add("setresuid", unix.SYS_SETRESUID, wire.PayloadID, wire.PayloadID, wire.PayloadID)
	add("capabilities", unix.SYS_CAPSET, uintptr(unsafe.Pointer(&noCapsHeader)), uintptr(unsafe.Pointer(&noCaps[0])))
	// Without it neither Landlock nor a filter may be set once the capabilities
	// are gone, and a set-uid program would undo both.
	add("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	add("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(j.ruleset), 0)
	// The root directory is world-readable; only Landlock has no rule for it.
	const atCwd = ^uintptr(0) - 99 // AT_FDCWD
	prove("landlock_proof", mustFail, uintptr(unix.EACCES), unix.SYS_OPENAT, atCwd, text("/"), unix.O_RDONLY|unix.O_DIRECTORY)
	// After the last use of an inherited descriptor. CVE-2024-21626 is what one
	// left-over directory costs.
	add("close_fds", unix.SYS_CLOSE_RANGE, payloadJob+1, uintptr(errPipe)-1, 0)
	add("close_fds", unix.SYS_CLOSE_RANGE, uintptr(errPipe)+1, ^uintptr(0)>>32, 0)
	// Last before the exec: it allows little more than the interpreter's boot.
	prog := fprog(j.setup.StartupFilter)
	add("startup_filter", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, pin(unsafe.Pointer(&prog)))
	add("exec", unix.SYS_EXECVE, text(j.setup.Argv[0]), list(j.setup.Argv), list(j.setup.Env))
	return slices.DeleteFunc(ops, func(o op) bool { return skipped(j.setup.Skip, o.step) })
}

// startPayload forks and waits until the interpreter is executing.
func startPayload(j *jail) error {
	if len(j.setup.Argv) == 0 {
		return syscall.EINVAL
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	ops := payloadOps(j, pipe[1])
	pid, errno := forkPayload(ops, pipe[1], &j.pidfd)
	unix.Close(pipe[1])
	for _, fd := range []int{wire.FDJob, wire.FDStdout, wire.FDStderr, j.null} {
		unix.Close(fd) // the payload's alone, so that their end is its end
	}
	if errno != 0 {
		unix.Close(pipe[0])
		return errno
	}
	j.payload = pid
	var failed [2]uint32 // index of the operation, errno
	n, err := readFull(pipe[0], unsafe.Slice((*byte)(unsafe.Pointer(&failed)), unsafe.Sizeof(failed)))
	unix.Close(pipe[0])
	switch {
	case err != nil:
		return err
	case n == 0:
		return nil
	case n < int(unsafe.Sizeof(failed)) || int(failed[0]) >= len(ops):
		return syscall.EPROTO
	}
	return &fault{ops[failed[0]].step, syscall.Errno(failed[1])}
}

func (f *fault) Error() string { return f.step + ": " + f.errno.Error() }

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

// forkPayload forks this thread and performs ops in the child. In the child
// only raw system calls are allowed: other threads do not exist there, so a
// lock they held would never be released.
//
// Preconditions: the calling goroutine is locked to its thread.
//
//go:noinline
//go:norace
//go:nocheckptr
func forkPayload(ops []op, errPipe int, pidfd *int) (int, syscall.Errno) {
	var (
		i      int
		errno  syscall.Errno
		value  uintptr
		failed [2]uint32
		fd     int32
	)
	runtimeBeforeFork()
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE,
		uintptr(unix.SIGCHLD)|unix.CLONE_PIDFD, 0, uintptr(unsafe.Pointer(&fd)), 0, 0, 0)
	if errno != 0 || pid != 0 {
		runtimeAfterFork()
		*pidfd = int(fd)
		return int(pid), errno
	}
	runtimeAfterForkInChild()
	for i = 0; i < len(ops); i++ {
		o := &ops[i]
		value, _, errno = unix.RawSyscall6(o.nr, o.args[0], o.args[1], o.args[2], o.args[3], o.args[4], 0)
		switch o.check {
		case mustSucceed:
			if errno != 0 {
				goto fail
			}
		case mustReturn:
			if errno != 0 || value != o.want {
				goto fail
			}
		case mustFail:
			if uintptr(errno) != o.want {
				goto fail
			}
		}
	}
fail:
	failed[0], failed[1] = uint32(i), uint32(errno)
	unix.RawSyscall(unix.SYS_WRITE, uintptr(errPipe), uintptr(unsafe.Pointer(&failed)), unsafe.Sizeof(failed))
	for {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, exitFault, 0, 0)
	}
}
