package child

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// namespaces are all made in the one clone, but for the cgroup namespace on v2:
// the kernel makes namespaces before it moves the child to its leaf, so that one
// would be rooted at the spawner's group, and the init makes it instead. The
// names are those of /proc/<pid>/ns.
var namespaces = []struct {
	name string
	flag uint64
}{
	{"mnt", unix.CLONE_NEWNS},
	{"pid", unix.CLONE_NEWPID},
	{"net", unix.CLONE_NEWNET},
	{"ipc", unix.CLONE_NEWIPC},
	{"uts", unix.CLONE_NEWUTS},
	{"cgroup", unix.CLONE_NEWCGROUP},
}

func cloneFlags(req wire.Request) (flags uint64) {
	flags = unix.CLONE_NEWUSER // not even a test goes without: the init would be the host's root
	for _, ns := range namespaces {
		if !skipped(req.Skip, "namespace_"+ns.name) {
			flags |= ns.flag
		}
	}
	if req.CgroupV2 {
		flags &^= unix.CLONE_NEWCGROUP
	}
	return flags
}

// firstFree is above every descriptor that an init is born with.
const firstFree = wire.FDOrders + 1

// spawn starts one init inside its leaf.
func spawn(req wire.Request, fds []int) {
	streams := 6 // reply, control, job, stdout, stderr, supervisor
	if req.Template {
		streams++ // orders
	}
	if len(fds) <= streams {
		answer(fds, &fault{"spawn", syscall.EPROTO}, wire.Event{})
		return
	}
	groups := fds[streams:]
	var pidfd int
	var err error
	outside := skipped(req.Skip, "enter_cgroup")
	if req.CgroupV2 {
		leaf := groups[0]
		if outside {
			leaf = -1
		}
		pidfd, err = forkInit(req, fds, leaf)
	} else {
		leaf, home := groups[:len(groups)/2], groups[len(groups)/2:]
		if outside {
			leaf, home = nil, nil
		}
		err = insideGroups(leaf, home, func() error {
			var err error
			pidfd, err = forkInit(req, fds, -1)
			return err
		})
	}
	if err != nil {
		answer(fds, stepError("spawn", err), wire.Event{})
		return
	}
	answer(fds, nil, wire.Event{Kind: wire.EventStarted}, pidfd)
}

// forkInit clones an init into new namespaces, maps its ids, and waits until it
// is executing.
func forkInit(req wire.Request, fds []int, cgroup int) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	null, err := unix.Open(wire.DevDir+"/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, stepError("spawn_null", err)
	}
	defer unix.Close(null)
	noexec, err := openMemfdNoexec()
	if err != nil {
		return -1, stepError("memfd_noexec", err)
	}
	if noexec >= 0 {
		defer unix.Close(noexec)
	}
	var mapped [2]int // one byte says that the ids are mapped
	if err := unix.Pipe2(mapped[:], unix.O_CLOEXEC); err != nil {
		return -1, err
	}
	defer unix.Close(mapped[1])
	s, err := newStart()
	if err != nil {
		unix.Close(mapped[0])
		return -1, err
	}
	s.program = initProgram(req, fds, null, noexec, mapped[0], s.errPipe[1])
	pid, pidfd, err := s.fork(cloneFlags(req), cgroup)
	unix.Close(mapped[0])
	if err != nil {
		return -1, stepError("spawn_clone", err)
	}
	err = mapIDs(pid, req)
	if err == nil {
		_, err = unix.Write(mapped[1], []byte{1})
	}
	if err == nil {
		err = s.wait()
	}
	if err != nil {
		_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
		unix.Close(pidfd)
		return -1, err
	}
	return pidfd, nil
}

// initProgram is what a cloned child does up to becoming the init.
func initProgram(req wire.Request, fds []int, null, noexec, mapped, errPipe int) program {
	var p program
	// The copies of write ends, its own and those of others that are being born: a
	// spawner that dies now must be the end of every pipe, or who waits for one of
	// them waits for ever, with the host's root for an identity.
	p.closeAllBut("spawn_close_pipes", append([]int{2, null, noexec, mapped, errPipe}, fds[1:]...)...)
	p.demand("spawn_wait_for_ids", mustReturn, 1, unix.SYS_READ, arg(mapped), p.put(nil, 1), 1)
	if noexec >= 0 && !skipped(req.Skip, "memfd_noexec") {
		// While this is the host's root with all capabilities in its own namespaces:
		// the kernel wants both, and takes the writer's pid namespace for the one
		// that is meant.
		p.add("memfd_noexec", unix.SYS_WRITE, arg(noexec), p.text(memfdNoexec), arg(len(memfdNoexec)))
	}
	p.becomeInit()
	// The bounding set goes here, so that every step behind runs without it. The exec
	// would then leave no capability at all, but for those that are inheritable
	// (capabilities(7), "Transformation of capabilities during execve").
	head, sets := p.capabilities(^uint64(0))
	p.add("spawn_inheritable", unix.SYS_CAPSET, head, sets)
	if !skipped(req.Skip, "bounding_set") {
		p.dropBoundingSet()
	}
	places := map[int]int{0: null, 1: null, wire.FDControl: fds[1], wire.FDJob: fds[2], wire.FDStdout: fds[3], wire.FDStderr: fds[4], wire.FDSupervisor: fds[5]}
	last := wire.FDSupervisor
	if req.Template {
		last = wire.FDOrders
		places[wire.FDOrders] = fds[6]
	}
	for target := range last + 1 {
		if target == 2 { // stays: a crash of the init is told there
			continue
		}
		p.add("spawn_fds", unix.SYS_DUP3, arg(places[target]), arg(target), 0)
	}
	p.closeBut("close_fds", last+1, errPipe)
	// Through the link: the mapped uid need not be able to walk to any path. The
	// environment is empty, since a payload can often read its supervisor's.
	p.add("spawn_exec", unix.SYS_EXECVE, p.text("/proc/self/exe"), p.list([]string{InitName}), p.list(nil))
	return p
}

// becomeInit: no group of the daemon's is left, and the identity is the mapped
// one; before, it is nobody's and may mount nothing.
func (p *program) becomeInit() {
	p.add("spawn_setgroups", unix.SYS_SETGROUPS, 0, 0)
	p.add("spawn_setresgid", unix.SYS_SETRESGID, wire.InitID, wire.InitID, wire.InitID)
	p.add("spawn_setresuid", unix.SYS_SETRESUID, wire.InitID, wire.InitID, wire.InitID)
}

func (p *program) dropBoundingSet() {
	for c := arg(0); c <= lastCapability(); c++ {
		p.add("bounding_set", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0)
	}
}

// lastCapability is the highest that this kernel knows.
var lastCapability = sync.OnceValue(func() arg {
	b, err := os.ReadFile("/proc/sys/kernel/cap_last_cap")
	if err != nil {
		return 0 // the posture will tell
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return arg(n)
})

// insideGroups moves this thread into the leaf (cgroup v1), forks, and moves it
// home: the child is born inside, so there is no moment without limits. The
// literal "0" takes no global lock, moving by pid does (10 ms). A thread that
// cannot go home must not live on, or it would pin the leaf for ever.
func insideGroups(leaf, home []int, fork func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() == unix.Getpid() {
		return &fault{"spawn_thread", syscall.EPROTO}
	}
	self := []byte("0")
	entered := 0
	var err error
	for _, fd := range leaf {
		if _, err = unix.Write(fd, self); err != nil {
			err = stepError("spawn_enter_cgroup", err)
			break
		}
		entered++
	}
	if err == nil {
		err = fork()
	}
	for _, fd := range home[:entered] {
		if _, err := unix.Write(fd, self); err != nil {
			syscall.Exit(exitFault)
		}
	}
	return err
}
