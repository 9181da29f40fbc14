package child

import (
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// payloadJob is the descriptor of the job socket in the payload.
const payloadJob = 3

// payload is what the payload's list needs to know. Cold or forked, it is one
// list.
type payload struct {
	null, stdout, stderr, job arg // descriptors
	ruleset                   arg
	rlimits                   []wire.Rlimit
	filter                    string
	others                    []arg // descriptors below closeFrom to close
	closeFrom, faults         int   // all that is closed at the end, and the one in there that is not
}

// payload is what the forked child does, in order, up to becoming the
// interpreter or going on as one.
func (p *program) payload(w payload) {
	p.add("setsid", unix.SYS_SETSID) // no controlling terminal to inject into
	// What it leaves must be readable for the init, which has another uid.
	p.add("umask", unix.SYS_UMASK, 0o022)
	p.payloadFDs(w)
	for _, r := range w.rlimits {
		p.rlimit(r)
	}
	// Keep-capabilities is off and locked so, or setresuid would leave some.
	p.demand("securebits_proof", mustReturn, securebits, unix.SYS_PRCTL, unix.PR_GET_SECUREBITS, 0, 0, 0, 0)
	p.demand("no_nested_userns_proof", mustFail, uint32(unix.ENOSPC), unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	// Groups before ids, ids before capabilities: each needs what the next drops.
	p.add("setgroups", unix.SYS_SETGROUPS, 0, 0)
	p.add("setresgid", unix.SYS_SETRESGID, wire.PayloadID, wire.PayloadID, wire.PayloadID)
	p.add("setresuid", unix.SYS_SETRESUID, wire.PayloadID, wire.PayloadID, wire.PayloadID)
	head, sets := p.capabilities(0)
	p.add("capabilities", unix.SYS_CAPSET, head, sets)
	// Without it neither Landlock nor a filter may be set once the capabilities
	// are gone, and a set-uid program would undo both.
	p.add("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	p.add("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, w.ruleset, 0)
	// The root directory is world-readable; only Landlock has no rule for it.
	p.demand("landlock_proof", mustFail, uint32(unix.EACCES), unix.SYS_OPENAT, atCwd, p.text("/"), unix.O_RDONLY|unix.O_DIRECTORY)
	// After the last use of an inherited descriptor. CVE-2024-21626 is what one
	// left-over directory costs.
	p.payloadClose(w)
	// Last: it allows little more than the interpreter's boot.
	p.add("startup_filter", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, p.filter(w.filter))
}

func (p *program) payloadFDs(w payload) {
	p.add("fd_stdin", unix.SYS_DUP3, w.null, 0, 0)
	p.add("fd_stdout", unix.SYS_DUP3, w.stdout, 1, 0)
	p.add("fd_stderr", unix.SYS_DUP3, w.stderr, 2, 0)
	p.add("fd_job", unix.SYS_DUP3, w.job, payloadJob, 0)
}

func (p *program) rlimit(r wire.Rlimit) {
	p.add("rlimits", unix.SYS_PRLIMIT64, 0, arg(r.Resource), p.numbers(r.Value, r.Value), 0)
}

func (p *program) payloadClose(w payload) {
	for _, fd := range w.others {
		p.add("close_fds", unix.SYS_CLOSE, fd)
	}
	p.closeBut("close_fds", w.closeFrom, w.faults)
}

const atCwd arg = 1<<64 - 100 // AT_FDCWD

// payloadProgram is the payload of a cold start.
func payloadProgram(j *jail, errPipe int) program {
	var p program
	w := payload{
		null: arg(j.null), stdout: wire.FDStdout, stderr: wire.FDStderr, job: wire.FDJob,
		ruleset: arg(j.ruleset), rlimits: j.setup.Rlimits, filter: j.setup.StartupFilter,
		closeFrom: payloadJob + 1, faults: errPipe,
	}
	if j.setup.Template {
		p.template(w, arg(j.proc))
	} else {
		p.payload(w)
	}
	p.add("exec", unix.SYS_EXECVE, p.text(j.setup.Argv[0]), p.list(j.setup.Argv), p.list(j.setup.Env))
	return p.without(j.setup.Skip)
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
	inherited := []int{wire.FDJob, wire.FDStdout, wire.FDStderr, j.null}
	if j.setup.Template {
		s.pid = templatePID
		inherited = append(inherited, wire.FDOrders, j.proc)
	}
	j.payload, j.pidfd, err = s.fork(0, -1)
	for _, fd := range inherited {
		unix.Close(fd) // the payload's alone, so that their end is its end
	}
	if err != nil {
		return err
	}
	return s.wait()
}
