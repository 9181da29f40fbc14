package child

import (
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// namespaces are all made in the one clone; on cgroup v2 the init makes its
// cgroup namespace anew once it is in its leaf. The names are those of
// /proc/<pid>/ns.
var namespaces = []struct {
	name string
	flag uintptr
}{
	{"mnt", unix.CLONE_NEWNS},
	{"pid", unix.CLONE_NEWPID},
	{"net", unix.CLONE_NEWNET},
	{"ipc", unix.CLONE_NEWIPC},
	{"uts", unix.CLONE_NEWUTS},
	{"cgroup", unix.CLONE_NEWCGROUP},
}

func cloneFlags(skip []string) (flags uintptr) {
	flags = unix.CLONE_NEWUSER // not even a test goes without: the init would be the host's root
	for _, ns := range namespaces {
		if !skipped(skip, "namespace_"+ns.name) {
			flags |= ns.flag
		}
	}
	return flags
}

// spawnerMain serves requests until the daemon's end of the socket closes.
func spawnerMain(socket int) int {
	if unix.Gettid() != unix.Getpid() {
		return exitFault // see Main: a start must never happen on the leader
	}
	// What the daemon was started with, a shell's descriptors for one, would
	// else reach every init. The Go runtime has opened none of its own yet.
	if unix.CloseRange(wire.FDControl+1, ^uint(0)>>32, 0) != nil {
		return exitFault
	}
	// The kernel reaps the inits; the daemon watches each through its pidfd.
	signal.Ignore(syscall.SIGCHLD)
	for {
		msg, fds, err := wire.RecvPacket(socket)
		if err != nil {
			return exitOK
		}
		req, err := wire.DecodeRequest(msg)
		if err != nil || len(fds) == 0 {
			wire.CloseAll(fds)
			return exitNoFrame
		}
		switch req.Kind {
		case wire.RequestMounts:
			answer(fds, attachMounts(req.Names, fds[1:]), wire.Event{Kind: wire.EventStarted})
		case wire.RequestSpawn:
			go spawn(req, fds)
		}
	}
}

// answer sends the one event of a request on its first descriptor and closes
// all of them.
func answer(fds []int, f *fault, e wire.Event, extra ...int) {
	if f != nil {
		e = f.event()
	}
	_ = report(fds[0], e, extra...) // a daemon that no longer listens wants no answer
	wire.CloseAll(fds)
	wire.CloseAll(extra)
}

// attachMounts gives the spawner a root that holds the images, the device
// nodes and /proc, and lets go of the host's tree: what a jail starts from
// cannot show what is not there, and copying six mounts per jail is cheap.
func attachMounts(names []string, fds []int) *fault {
	if len(fds) != len(names)+1 {
		return &fault{"spawner_mounts", syscall.EPROTO}
	}
	const base = "/tmp" // exists on every host; covered in this namespace only
	mkdir := func(path string) error { return unix.Mkdir(base+path, 0o755) }
	attach := func(fd int, path string) error {
		if err := mkdir(path); err != nil {
			return err
		}
		return unix.MoveMount(fd, "", unix.AT_FDCWD, base+path, unix.MOVE_MOUNT_F_EMPTY_PATH)
	}
	run := []struct {
		step string
		do   func() error
	}{
		// Before anything is mounted, so that nothing reaches the host.
		{"spawner_private", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"spawner_root", func() error {
			unix.Umask(0) // the modes below are exact
			return unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0755,size=64k")
		}},
		{"spawner_devices", func() error { return attach(fds[0], wire.DevDir) }},
		{"spawner_images", func() error {
			if err := mkdir(wire.ImageDir); err != nil {
				return err
			}
			for i, name := range names {
				if err := attach(fds[i+1], wire.ImageDir+"/"+name); err != nil {
					return err
				}
			}
			return nil
		}},
		{"spawner_proc", func() error {
			if err := mkdir("/proc"); err != nil {
				return err
			}
			return unix.Mount("proc", base+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
		}},
		{"spawner_jail_dir", func() error { return mkdir(wire.JailDir) }},
		{"spawner_pivot", func() error {
			if err := unix.Chdir(base); err != nil {
				return err
			}
			if err := unix.PivotRoot(".", "."); err != nil {
				return err
			}
			if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
				return err
			}
			return unix.Chdir("/")
		}},
		{"spawner_seal", func() error {
			return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
		}},
	}
	for _, s := range run {
		if err := s.do(); err != nil {
			return stepError(s.step, err)
		}
	}
	return nil
}

// spawn starts one init inside its leaf.
func spawn(req wire.Request, fds []int) {
	const streams = 5 // reply, control, job, stdout, stderr
	if len(fds) <= streams {
		answer(fds, &fault{"spawn", syscall.EPROTO}, wire.Event{})
		return
	}
	groups := fds[streams:]
	pidfd := -1
	ids := func(init, payload uint32) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{
			{ContainerID: wire.InitID, HostID: int(init), Size: 1},
			{ContainerID: wire.PayloadID, HostID: int(payload), Size: 1},
		}
	}
	attr := &syscall.ProcAttr{
		Env: []string{}, // a payload can often read its supervisor's
		Sys: &syscall.SysProcAttr{
			Cloneflags:  cloneFlags(req.Skip),
			UidMappings: ids(req.InitUID, req.PayloadUID),
			GidMappings: ids(req.InitUID, req.PayloadUID),
			// Else the child keeps the daemon's supplementary groups.
			GidMappingsEnableSetgroups: true,
			// Without it the child is unmapped in its namespace and may mount nothing.
			Credential: &syscall.Credential{Uid: wire.InitID, Gid: wire.InitID},
			PidFD:      &pidfd,
		},
	}
	null, err := unix.Open(wire.DevDir+"/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		answer(fds, stepError("spawn_null", err), wire.Event{})
		return
	}
	defer unix.Close(null)
	attr.Files = []uintptr{uintptr(null), uintptr(null), 2, // a crash of the init is told through our stderr
		wire.FDControl: uintptr(fds[1]), wire.FDJob: uintptr(fds[2]), wire.FDStdout: uintptr(fds[3]), wire.FDStderr: uintptr(fds[4])}

	if req.CgroupV2 {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, groups[0]
		err := forkExec(attr)
		answer(fds, stepError("spawn_clone", err), wire.Event{Kind: wire.EventStarted}, started(pidfd)...)
		return
	}
	leaf, home := groups[:len(groups)/2], groups[len(groups)/2:]
	if skipped(req.Skip, "enter_cgroup") {
		leaf, home = nil, nil
	}
	f := forkInside(attr, leaf, home)
	answer(fds, f, wire.Event{Kind: wire.EventStarted}, started(pidfd)...)
}

func started(pidfd int) []int {
	if pidfd < 0 {
		return nil
	}
	return []int{pidfd}
}

// forkMu serialises the starts: the runtime opens the id maps of a child without
// close-on-exec, and a start beside it would inherit them.
var forkMu sync.Mutex

func forkExec(attr *syscall.ProcAttr) error {
	forkMu.Lock()
	defer forkMu.Unlock()
	// Through the link: the mapped uid need not be able to walk to any path.
	_, err := syscall.ForkExec("/proc/self/exe", []string{InitName}, attr)
	return err
}

// forkInside moves this thread into the leaf, forks, and moves it home: the
// child is born inside, so there is no moment without limits. The literal "0"
// takes no global lock, moving by pid does (10 ms). A thread that cannot go
// home must not live on, or it would pin the leaf for ever.
func forkInside(attr *syscall.ProcAttr, leaf, home []int) *fault {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() == unix.Getpid() {
		return &fault{"spawn_thread", syscall.EPROTO}
	}
	self := []byte("0")
	var entered int
	var f *fault
	for _, fd := range leaf {
		if _, err := unix.Write(fd, self); err != nil {
			f = stepError("spawn_enter_cgroup", err)
			break
		}
		entered++
	}
	if f == nil {
		f = stepError("spawn_clone", forkExec(attr))
	}
	for _, fd := range home[:entered] {
		if _, err := unix.Write(fd, self); err != nil {
			syscall.Exit(exitFault)
		}
	}
	return f
}
