package broker

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Descriptors that the broker is born with, beside nothing on stdin and stdout and
// the log on stderr.
const (
	fdLink      = 3
	fdListeners = 4
)

// process is a broker that has been started.
type process struct {
	cmd   *exec.Cmd
	link  net.Conn
	inode uint64        // of the broker's end of the link
	ended chan struct{} // closed when it is dead
}

// spawn starts the program on a thread that has given up what a child would
// inherit. That thread is of no use afterwards; it lives as long as the broker,
// whose parent's death it would else be.
func (s *Supervisor) spawn() (*process, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "link"), os.NewFile(uintptr(fds[1]), "link")
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) // here: the thread may open nothing
	if err != nil {
		conn.Close()
		return nil, err
	}
	defer null.Close()
	p := &process{link: conn, ended: make(chan struct{}), cmd: &exec.Cmd{
		Path: s.cfg.Program, Args: s.cfg.Args, Env: []string{}, Dir: "/",
		Stdin: null, Stdout: null, Stderr: s.cfg.Stderr, ExtraFiles: append([]*os.File{theirs}, s.cfg.Listeners...),
		SysProcAttr: &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: s.cfg.UID, Gid: s.cfg.GID},
			Setsid:     true, Pdeathsig: syscall.SIGKILL,
		},
	}}
	if p.inode, err = inode(theirs); err != nil {
		conn.Close()
		return nil, err
	}
	started := make(chan error, 1)
	go p.onThread(s.ruleset, started)
	if err := <-started; err != nil {
		conn.Close()
		return nil, err
	}
	return p, nil
}

// onThread starts the process and stays until its end.
func (p *process) onThread(ruleset int, started chan<- error) {
	runtime.LockOSThread() // and never unlocked: the runtime ends the thread
	if unix.Gettid() == unix.Getpid() {
		// The first thread cannot end, and shows for the whole process.
		go p.onThread(ruleset, started)
		<-p.ended
		runtime.UnlockOSThread()
		return
	}
	err := giveUp(ruleset)
	if err == nil {
		if err = p.cmd.Start(); err != nil {
			err = fmt.Errorf("start broker: %w", err)
		}
	}
	started <- err
	if err == nil {
		p.cmd.Wait() //nolint:errcheck // its state tells
	}
	close(p.ended)
}

// giveUp takes from this thread what the kernel would hand on to the broker.
func giveUp(ruleset int) error {
	for c := 0; c <= lastCapability(); c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil {
			return fmt.Errorf("bounding_set: %w (the daemon needs CAP_SETPCAP)", err)
		}
	}
	if err := dropInheritable(); err != nil {
		return fmt.Errorf("capabilities_inheritable: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	shortSlices()
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

// shortSlices lets the broker run as soon as it is woken: an answer comes while
// the next jail is being made on every processor, and would else wait a tick for
// one of them. It gets no more time by that (Linux 6.12; before, it changes
// nothing).
func shortSlices() {
	const slice = 100 * time.Microsecond // the shortest that there is
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Runtime: uint64(slice.Nanoseconds()),
	}, 0)
}

// dropInheritable leaves the thread its permitted and effective sets, which it
// needs to change its identity; these go with the uid.
func dropInheritable() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&head, &sets[0]); err != nil {
		return err
	}
	sets[0].Inheritable, sets[1].Inheritable = 0, 0
	_, _, errno := unix.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&sets[0])), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func lastCapability() int {
	b, err := os.ReadFile("/proc/sys/kernel/cap_last_cap")
	if err != nil {
		return unix.CAP_LAST_CAP // the posture will tell
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return unix.CAP_LAST_CAP
	}
	return n
}

func inode(f *os.File) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, os.NewSyscallError("fstat", err)
	}
	return st.Ino, nil
}

// kill ends the broker whatever it does, and waits.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be dead already
	p.link.Close()
	<-p.ended
}

func (s *Supervisor) close() { _ = unix.Close(s.ruleset) }
