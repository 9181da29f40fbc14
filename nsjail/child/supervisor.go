package child

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Every init ends as the supervisor (nsjail/shim/src/supervisor.c), whether this
// program or a template's copy has built the jail.

// supervisor is the last of what every init does: it gives up its privileges and
// becomes the program that waits. from are the supervisor's descriptors in the order
// of their numbers, above which they lie.
func (p *program) supervisor(ruleset arg, from [5]arg) {
	p.add("init_landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
	for _, fd := range []arg{0, 2} { // an interpreter may have marked them
		p.add("init_fds", unix.SYS_FCNTL, fd, unix.F_SETFD, 0)
	}
	p.add("init_fds", unix.SYS_DUP3, 0, 1, 0)
	for i, fd := range from {
		p.add("init_fds", unix.SYS_DUP3, fd, supervisorControl+arg(i), 0)
	}
	// By the mark, not by number: until the exec a fault is told there, and the Go
	// runtime has descriptors of its own. The supervisor closes by number again.
	p.add("init_fds", unix.SYS_CLOSE_RANGE, supervisorFilter+1, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC)
	head, sets := p.capabilities(0)
	p.add("init_capabilities", unix.SYS_CAPSET, head, sets)
	p.add("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	// Its filter it loads itself, since that would refuse the exec.
	p.add("init_exec", unix.SYS_EXECVEAT, supervisorProgram, p.text(""), p.list([]string{SupervisorName}), p.list(nil), unix.AT_EMPTY_PATH)
}

// Descriptors of the supervisor, as in event.h.
const (
	supervisorControl = 3 + iota
	supervisorFaults  // at its end when the payload is through its steps
	supervisorPayload // pidfd
	supervisorProgram // itself
	supervisorFilter
)

// Where they lie in an init that this program is: above all that it has open, and
// below 64, where a table of descriptors that threads share begins to grow, for
// which the kernel waits 10 ms (synchronize_rcu).
const (
	coldControl = 40 + iota
	coldFaults
	coldPayload
	coldProgram
	coldFilter
)

// passInitFilter lays the filter into a pipe, for the supervisor to load.
func passInitFilter(j *jail) error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	n, err := unix.Write(ends[1], []byte(j.setup.InitFilter))
	if err == nil && n < len(j.setup.InitFilter) {
		err = syscall.EPROTO
	}
	if err != nil {
		return err
	}
	return unix.Dup3(ends[0], coldFilter, unix.O_CLOEXEC)
}

// supervisorOf is the end of an init that this program is. The payload is through
// its steps already, so the pipe of its faults is an empty file.
func supervisorOf(j *jail) program {
	var p program
	from := [5]arg{coldControl, coldFaults, coldPayload, coldProgram, coldFilter}
	for i, fd := range []int{j.control, 0, j.pidfd, j.program} {
		p.add("init_hands_on", unix.SYS_DUP3, arg(fd), from[i], unix.O_CLOEXEC)
	}
	p.supervisor(arg(j.ruleset), from)
	return p.without(j.setup.Skip)
}

// becomeSupervisor returns on a fault only. It needs this thread alone: the exec
// ends the others, which keep what privileges they have until then, and one that
// is being made meanwhile is refused by the kernel and asked for again by the
// runtime.
func becomeSupervisor(j *jail) error { return supervisorOf(j).perform() }

// perform makes a program's calls on this thread. The first that fails is named.
//
// Preconditions: the calling goroutine is locked to its thread.
func (p program) perform() error {
	var pins runtime.Pinner
	defer pins.Unpin()
	calls, err := p.load(&pins)
	if err != nil {
		return err
	}
	for i, c := range calls {
		value, _, errno := unix.RawSyscall6(c.nr, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], 0)
		if !c.answered(value, errno) {
			return &fault{p.ops[i].step, errno}
		}
	}
	return nil
}
