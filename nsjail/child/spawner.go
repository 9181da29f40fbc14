package child

import (
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

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
	// Keeps the numbers that an init is born with free of what is received.
	for fd := 0; fd < firstFree; {
		var err error
		if fd, err = unix.FcntlInt(uintptr(socket), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			return exitFault
		}
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
