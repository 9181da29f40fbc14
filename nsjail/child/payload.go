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

// payloadProgram is what the forked child does, in order, up to becoming the
// interpreter.
func payloadProgram(j *jail, errPipe int) program {
	var p program
	p.add("setsid", unix.SYS_SETSID) // no controlling terminal to inject into
	p.add("umask", unix.SYS_UMASK, 0o077)
	p.add("fd_stdin", unix.SYS_DUP3, uintptr(j.null), 0, 0)
	p.add("fd_stdout", unix.SYS_DUP3, wire.FDStdout, 1, 0)
	p.add("fd_stderr", unix.SYS_DUP3, wire.FDStderr, 2, 0)
	p.add("fd_job", unix.SYS_DUP3, wire.FDJob, payloadJob, 0)
	for _, r := range j.setup.Rlimits {
		limit := &unix.Rlimit{Cur: r.Value, Max: r.Value}
		p.add("rlimits", unix.SYS_PRLIMIT64, 0, uintptr(r.Resource), p.pin(unsafe.Pointer(limit)), 0)
	}
	// Keep-capabilities is off and locked so, or setresuid would leave some.
	p.demand("securebits_proof", mustReturn, securebits, unix.SYS_PRCTL, unix.PR_GET_SECUREBITS, 0, 0, 0, 0)
	p.demand("no_nested_userns_proof", mustFail, uintptr(unix.ENOSPC), unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	// Groups before ids, ids before capabilities: each needs what the next drops.
	p.add("setgroups", unix.SYS_SETGROUPS, 0, 0)
	p.add("setresgid", unix.SYS_SETRESGID, wire.PayloadID, wire.PayloadID, wire.PayloadID)
	p.add("setresuid", unix.SYS_SETRESUID, wire.PayloadID, wire.PayloadID, wire.PayloadID)
	p.add("capabilities", unix.SYS_CAPSET, uintptr(unsafe.Pointer(&capsHeader)), uintptr(unsafe.Pointer(&noCaps[0])))
	// Without it neither Landlock nor a filter may be set once the capabilities
	// are gone, and a set-uid program would undo both.
	p.add("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	p.add("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(j.ruleset), 0)
	// The root directory is world-readable; only Landlock has no rule for it.
	const atCwd = ^uintptr(0) - 99 // AT_FDCWD
	p.demand("landlock_proof", mustFail, uintptr(unix.EACCES), unix.SYS_OPENAT, atCwd, p.text("/"), unix.O_RDONLY|unix.O_DIRECTORY)
	// After the last use of an inherited descriptor. CVE-2024-21626 is what one
	// left-over directory costs.
	p.closeFrom(payloadJob+1, errPipe)
	// Last before the exec: it allows little more than the interpreter's boot.
	filter := fprog(j.setup.StartupFilter)
	p.add("startup_filter", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, p.pin(unsafe.Pointer(filter)))
	p.add("exec", unix.SYS_EXECVE, p.text(j.setup.Argv[0]), p.list(j.setup.Argv), p.list(j.setup.Env))
	p.ops = slices.DeleteFunc(p.ops, func(o op) bool { return skipped(j.setup.Skip, o.step) })
	return p
}

// startPayload forks and waits until the interpreter is executing.
func startPayload(j *jail) error {
	if len(j.setup.Argv) == 0 {
		return syscall.EINVAL
	}
	s, err := newStart()
	if err != nil {
		return err
	}
	s.program = payloadProgram(j, s.errPipe[1])
	j.payload, j.pidfd, err = s.fork(0, -1)
	for _, fd := range []int{wire.FDJob, wire.FDStdout, wire.FDStderr, j.null} {
		unix.Close(fd) // the payload's alone, so that their end is its end
	}
	if err != nil {
		return err
	}
	return s.wait()
}
