package nsjail

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/child"
	"safe-exec/nsjail/wire"
)

// spawner is the daemon's hold on the process that clones the inits; package
// child has its theory of operation.
type spawner struct {
	socket *os.File
	cmd    *exec.Cmd
	done   chan struct{} // closed when it is dead
	stderr uint64        // inode of the pipe that it and the inits may crash into
}

// Names of the memory files that spawner and inits execute, and the inits of forks.
const (
	initName       = "safe-exec-init"
	supervisorName = "safe-exec-supervisor"
)

// spawnTimeout bounds one request. A clone takes about a millisecond, letting go
// of the host's mounts more; an emulated machine under load has needed 20 s.
const spawnTimeout = time.Minute

// startSpawner starts program, the spawner and init in one, from a sealed
// memory file and gives it the mounts that jails are put together from.
func startSpawner(program []byte, devices *os.File, images map[string]*os.File, log *slog.Logger) (*spawner, error) {
	file, err := sealedFile(initName, program)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	ours, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	words, stderr, err := os.Pipe()
	if err != nil {
		ours.Close()
		theirs.Close()
		return nil, err
	}
	defer stderr.Close()
	s := &spawner{socket: ours, done: make(chan struct{}), cmd: &exec.Cmd{
		Path:       fmt.Sprintf("/proc/self/fd/%d", file.Fd()),
		Args:       []string{child.SpawnerName},
		Env:        []string{},
		Dir:        "/",
		ExtraFiles: []*os.File{theirs},
		Stderr:     stderr,
		// A mount namespace of its own: what it mounts ends with it, so a killed
		// daemon leaves no mount behind.
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Setsid: true},
	}}
	if s.stderr, err = inode(stderr); err == nil {
		err = s.cmd.Start()
	}
	// Only the spawner's own, so that its end is the end of the stream.
	theirs.Close()
	if err != nil {
		ours.Close()
		words.Close()
		return nil, fmt.Errorf("start spawner: %w", err)
	}
	go logLines(words, log)
	go func() {
		s.cmd.Wait() //nolint:errcheck // its exit status decides nothing
		close(s.done)
	}()
	req := wire.Request{Kind: wire.RequestMounts}
	fds := []int{int(devices.Fd())}
	for name, image := range images {
		req.Names = append(req.Names, name)
		fds = append(fds, int(image.Fd()))
	}
	if _, pidfd, err := s.call(req, fds...); err != nil {
		s.close()
		return nil, fmt.Errorf("spawner, which ended with %v: %w", s.cmd.ProcessState, err)
	} else if pidfd >= 0 {
		unix.Close(pidfd)
	}
	return s, nil
}

// logLines logs what spawner and inits say on stderr: nothing, unless the Go
// runtime of one of them gives up.
func logLines(r *os.File, log *slog.Logger) {
	defer r.Close()
	const longest = 4096
	lines := bufio.NewReaderSize(r, longest)
	for {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		log.Error("spawner or init", "says", string(line))
	}
}

// call makes one request and waits for its event.
func (s *spawner) call(req wire.Request, fds ...int) (wire.Event, int, error) {
	event, fd, err := ask(s.socket, spawnTimeout, req.Encode(), fds...)
	if err != nil {
		err = fmt.Errorf("spawner: %w", err)
	}
	return event, fd, err
}

// ask sends one packet with a socket of its own for the answer, which must come
// within the time.
func ask(socket *os.File, within time.Duration, packet []byte, fds ...int) (wire.Event, int, error) {
	ours, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return wire.Event{}, -1, err
	}
	defer ours.Close()
	timeout := unix.NsecToTimeval(within.Nanoseconds())
	if err := unix.SetsockoptTimeval(int(ours.Fd()), unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		theirs.Close()
		return wire.Event{}, -1, err
	}
	err = wire.SendPacket(int(socket.Fd()), packet, append([]int{int(theirs.Fd())}, fds...)...)
	theirs.Close()
	if err != nil {
		return wire.Event{}, -1, err
	}
	return recvEvent(int(ours.Fd()))
}

// recvEvent receives one event and the descriptor that may ride along, else
// -1. A fault comes back as an error.
func recvEvent(fd int) (wire.Event, int, error) {
	msg, fds, err := wire.RecvPacket(fd)
	if err != nil {
		return wire.Event{}, -1, err
	}
	event, err := wire.DecodeEvent(msg)
	if err == nil && event.Kind == wire.EventFault {
		err = &stepFault{step: event.Step, errno: syscall.Errno(event.Errno)}
	}
	if err == nil && len(fds) > 1 {
		err = wire.ErrMalformed
	}
	if err != nil {
		wire.CloseAll(fds)
		return wire.Event{}, -1, err
	}
	if len(fds) == 1 {
		return event, fds[0], nil
	}
	return event, -1, nil
}

// stepFault is a failed step of the jailed side: which, and the kernel's answer.
type stepFault struct {
	step  string
	errno syscall.Errno
}

func (f *stepFault) Error() string { return f.step + ": " + f.errno.Error() }
func (f *stepFault) Unwrap() error { return f.errno }

// close ends the spawner. Jails that live on end through their own sockets.
func (s *spawner) close() {
	s.socket.Close()
	<-s.done
}

// sealedFile is a memory file that can be executed but never changed, so that
// the program that runs as root is the one that was built (CVE-2019-5736).
func sealedFile(name string, content []byte) (*os.File, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3 every memory file was executable
		fd, err = unix.MemfdCreate(name, flags)
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	// Above the numbers that a child is given, which would cover it.
	const clear = 100
	high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, clear)
	unix.Close(fd)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(high), name)
	if _, err := f.Write(content); err != nil {
		f.Close()
		return nil, err
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		f.Close()
		return nil, fmt.Errorf("seal memory file: %w", err)
	}
	return f, nil
}

// socketPair makes two connected Unix sockets, both close-on-exec and blocking.
func socketPair(kind int) (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// pollable makes a file of our end that the runtime's poller takes, so that a
// reader of it costs no thread and wakes when it is closed. The mode belongs to
// one end: the payload's stays blocking, as programs expect.
func pollable(fd int, name string) (*os.File, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}
