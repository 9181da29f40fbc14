package child

import (
	"encoding/binary"
	"errors"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// ForkOrder is what a template (nsjail/shim/src/fork.c) is told for one jail. On
// its socket of orders, a SOCK_SEQPACKET pair, it sends one Started event when it
// does nothing but serve; then one packet goes with each order,
// and with it, in this order, the descriptors: reply, control, job, stdout,
// stderr, and then for cgroup v2 the leaf's directory, or for v1 the tasks files
// of the leaf and after them as many of the template's own group.
//
// On reply comes one wire.Event: Started with the pidfd of the jail's init, or
// Fault. On control come those of every init, with Started or Fault of its own
// first.
type ForkOrder struct {
	CgroupV2      bool
	InitID        uint32 // as the template's user namespace has the two: InsideID
	PayloadID     uint32
	TmpBytes      uint64
	TmpInodes     uint64
	Rlimits       []wire.Rlimit // none above the template's own
	LandlockABI   uint32
	ReadRoots     []string
	StartupFilter string // raw struct sock_filter arrays
	InitFilter    string // profiles/init.syscalls
	// MemfdErrno is what an executable memory file must be answered: EACCES, or
	// EINVAL by kernels that know none (MFD_EXEC, Linux 6.3).
	MemfdErrno syscall.Errno
	// CloseFrom is the first of the interpreter's own descriptors that the payload
	// does not keep, at least 4 and at most ForkFDs.
	CloseFrom int
	Skip      []string // steps to leave out; heeded by test builds only
}

// ForkFDs is the first number of the descriptors that a template uses for a fork.
// It may have none of its own from there on, and its RLIMIT_NOFILE lets 40 be
// opened.
const ForkFDs = 200

// Those that the lists name, as in fork.c.
const (
	forkControl = ForkFDs + iota
	forkFaults
	forkPayload // pidfd
	forkJob
	forkStdout
	forkStderr
	forkFaultsWrite
	forkGo
	forkGoWrite
)

// ErrOrderSize means that an order is larger than a packet.
var ErrOrderSize = errors.New("child: the order of a fork is too large for a packet")

// lists are what the forked init does before it forks the payload, what the
// payload does, and what the init does then. One memory is behind all three, so
// that a descriptor which one opens can be used by the next.
type lists struct {
	before, payload, after []op
	memory                 program // what all operations point to
}

func (o ForkOrder) lists() lists {
	var p program
	var l lists
	take := func() []op {
		ops := p.without(o.Skip).ops
		p.ops = nil
		return ops
	}
	null, ruleset := o.prepare(&p)
	l.before = take()
	p.payload(payload{
		null: null, stdout: forkStdout, stderr: forkStderr, job: forkJob,
		ruleset: ruleset, rlimits: o.Rlimits, filter: o.StartupFilter,
		others:    []arg{templateOrders, templateProc, templateSupervisor, null, ruleset},
		closeFrom: o.CloseFrom, faults: forkFaultsWrite,
	})
	l.payload = take()
	o.retire(&p, ruleset)
	l.after = take()
	l.memory = p
	return l
}

// prepare is the forked init up to the fork. Names are those of the steps of a
// cold init where the step is the same, and the reasons for the order are.
func (o ForkOrder) prepare(p *program) (null, ruleset arg) {
	// Its end of the pipe, so that the other's end is the end of the wait.
	p.add("spawn_wait_for_ids", unix.SYS_CLOSE, forkGoWrite)
	p.demand("spawn_wait_for_ids", mustReturn, 1, unix.SYS_READ, forkGo, p.put(nil, 1), 1)
	if o.CgroupV2 {
		p.add("namespace_cgroup", unix.SYS_UNSHARE, unix.CLONE_NEWCGROUP)
	}
	p.dropBoundingSet()
	p.becomeInit()
	// Inherited by this pid namespace from the template's.
	const mfdExec = 0x10
	p.demand("memfd_noexec_proof", mustFail, uint32(o.MemfdErrno), unix.SYS_MEMFD_CREATE, p.text("proof"), mfdExec)
	p.add("no_nested_userns", unix.SYS_OPENAT, templateProc, p.text("sys/user/max_user_namespaces"), unix.O_WRONLY|unix.O_CLOEXEC)
	limit := p.result()
	p.demand("no_nested_userns", mustReturn, 1, unix.SYS_WRITE, limit, p.text("0"), 1)
	p.add("no_nested_userns", unix.SYS_CLOSE, limit)
	p.add("namespace_cgroup_proof", unix.SYS_OPENAT, templateProc, p.text("self/cgroup"), unix.O_RDONLY|unix.O_CLOEXEC)
	groups := p.result()
	p.add("namespace_cgroup_proof", proveCgroupFile, groups)
	p.add("namespace_cgroup_proof", unix.SYS_CLOSE, groups)
	flags, options := tmpfs(o.TmpBytes, o.TmpInodes, o.Skip)
	p.add("mount_tmp", unix.SYS_MOUNT, p.text("tmpfs"), p.text("/tmp"), p.text("tmpfs"), arg(flags), p.text(options))
	p.add("work_dir", unix.SYS_CHDIR, p.text("/tmp"))
	p.demand("session_keyring", mayFail, uint32(unix.ENOSYS), unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0)
	p.add("open_null", unix.SYS_OPENAT, atCwd, p.text("/dev/null"), unix.O_RDONLY|unix.O_CLOEXEC)
	null = p.result()
	ruleset = o.ruleset(p)
	// The template ignores the end of its children, whom nobody waits for.
	const sizeOfSigset = 8
	p.add("signals", unix.SYS_RT_SIGACTION, arg(unix.SIGCHLD), p.numbers(0, 0, 0, 0), 0, sizeOfSigset)
	p.add("securebits", unix.SYS_PRCTL, unix.PR_SET_SECUREBITS, securebits, 0, 0, 0)
	return null, ruleset
}

// proveCgroupFile is proveCgroupRoot on an open file: no system call, but
// performed by the template as one.
const proveCgroupFile = 1 << 20

func (o ForkOrder) ruleset(p *program) arg {
	handles, rules := paths(o.ReadRoots).Plan(int(o.LandlockABI))
	p.add("landlock_ruleset", unix.SYS_LANDLOCK_CREATE_RULESET, p.numbers(handles[:]...), arg(8*len(handles)), 0)
	ruleset := p.result()
	for _, r := range rules {
		p.addRule(ruleset, r)
	}
	return ruleset
}

// retire is the forked init behind the fork: it gives up its privileges, which it
// needed for that alone, and the interpreter's memory. What the payload got is the
// payload's alone, so that its end is its end.
func (o ForkOrder) retire(p *program, ruleset arg) {
	ends := p.put(nil, 2*4)
	p.add("init_filter", unix.SYS_PIPE2, ends, unix.O_CLOEXEC)
	from, to := stored|ends&^marks, stored|(ends+4)&^marks
	p.demand("init_filter", mustReturn, uint32(len(o.InitFilter)), unix.SYS_WRITE, to, p.put([]byte(o.InitFilter), 0), arg(len(o.InitFilter)))
	const filter, program = forkGo, forkGoWrite // numbers that it needs no more
	p.add("init_filter", unix.SYS_DUP3, from, filter, unix.O_CLOEXEC)
	p.add("init_hands_on", unix.SYS_DUP3, templateSupervisor, program, unix.O_CLOEXEC)
	p.supervisor(ruleset, [5]arg{forkControl, forkFaults, forkPayload, program, filter})
}

const orderVersion = 1

// Encode gives the packet. Its form is the template's: struct header and struct
// op in fork.c. The error is ErrOrderSize, or EINVAL for what no template takes.
func (o ForkOrder) Encode() ([]byte, error) {
	if o.CloseFrom <= payloadJob || o.CloseFrom > ForkFDs || o.MemfdErrno == 0 {
		return nil, syscall.EINVAL
	}
	l := o.lists()
	p := &l.memory
	ids := forkMap(o.InitID, o.PayloadID)
	idMap := p.text(ids)
	steps := make(map[string]uint32)
	for _, op := range slices.Concat(l.before, l.payload, l.after) {
		if _, there := steps[op.step]; !there {
			steps[op.step] = uint32(p.text(op.step) &^ marks)
		}
	}
	number := binary.LittleEndian.AppendUint32
	number64 := binary.LittleEndian.AppendUint64
	v2 := uint32(0)
	flags := wire.Request{CgroupV2: o.CgroupV2, Skip: o.Skip}
	if o.CgroupV2 {
		v2 = 1
	}
	p.data = append(p.data, 0) // the last is a NUL

	b := number(number(nil, orderVersion), v2)
	b = number64(b, cloneFlags(flags))
	for _, n := range []int{len(l.before), len(l.payload), len(l.after), len(p.addresses), len(p.data)} {
		b = number(b, uint32(n))
	}
	b = number(number(number(b, uint32(idMap&^marks)), uint32(len(ids))), 0)
	for _, op := range slices.Concat(l.before, l.payload, l.after) {
		for _, a := range op.args {
			b = number64(b, uint64(a))
		}
		for _, n := range []uint32{uint32(op.nr), steps[op.step], uint32(op.check), op.want, op.store, 0} {
			b = number(b, n)
		}
	}
	for _, at := range p.addresses {
		b = number64(b, uint64(at))
	}
	b = append(b, p.data...)
	if len(b) > wire.PacketSize {
		return nil, ErrOrderSize
	}
	return b, nil
}
