package broker

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"

	"safe-exec/internal/link"
	"safe-exec/nsjail/landlock"
	"safe-exec/seccomp"
)

// Joined is what a confined broker has.
type Joined struct {
	Dir       string // where it may write, and nowhere else
	Client    *link.Client
	Listeners []net.Listener // in the order of Config.Listeners
	Config    []byte         // Config.Settings
}

// Join is the first thing that a broker does: it confines itself for good, lets
// the executor look, and takes its configuration. dir is its directory and
// listeners how many sockets it was given, as the command line says. An error
// means that this process was not started by an executor or that a layer does not
// hold; it must end.
func Join(dir string, listeners int) (*Joined, error) {
	conn, err := fileConn(fdLink)
	if err != nil {
		return nil, fmt.Errorf("broker: started by safe-exec serve only: %w", err)
	}
	c := link.NewClient(conn)
	filter, err := c.Hello()
	if err != nil {
		return nil, err
	}
	var report link.Report
	if report.Tried, err = confine(dir, filter); err != nil {
		report.Failed = err.Error()
	}
	j := &Joined{Dir: dir, Client: c}
	if j.Config, err = c.Report(report); err != nil {
		return nil, err
	}
	for i := range listeners {
		f := os.NewFile(uintptr(fdListeners+i), "listener")
		l, err := net.FileListener(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("listener %d: %w", i, err)
		}
		j.Listeners = append(j.Listeners, l)
	}
	return j, nil
}

func fileConn(fd uintptr) (net.Conn, error) {
	f := os.NewFile(fd, "link")
	defer f.Close()
	return net.FileConn(f)
}

// confine gives up what a process can only give up itself, and tries what must
// not be possible any more. It names what it tried.
func confine(dir string, filter []byte) (tried []string, err error) {
	program, err := seccomp.UnmarshalProgram(filter)
	if err != nil {
		return nil, err
	}
	// Nobody of the same uid may attach, and no core_pattern helper gets its memory.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("dumpable: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return nil, fmt.Errorf("core limit: %w", err)
	}
	abi, err := landlock.ABI()
	if err != nil {
		return nil, err
	}
	own := filepath.Join(dir, ".try")
	for _, t := range attempts {
		if !t.after && abi >= t.abi {
			if err := t.check(own); err != nil {
				return nil, err
			}
		}
	}
	runtime.LockOSThread()
	err = seccomp.InstallAllThreads(program)
	runtime.UnlockOSThread()
	if err != nil {
		return nil, err
	}
	for _, t := range attempts {
		if t.after && abi >= t.abi {
			if err := t.check(own); err != nil {
				return nil, err
			}
		}
	}
	return tries(abi), nil
}

// attempt is one call that would succeed, or fail otherwise, if its layer were
// not there; want is the kernel's answer where it is.
type attempt struct {
	name  string
	abi   int  // of Landlock, from which on it is refused
	after bool // the filter is there
	want  error
	call  func(own string) error
}

func (a attempt) check(own string) error {
	if err := a.call(own); !errors.Is(err, a.want) {
		return fmt.Errorf("%s: want %v, got %v", a.name, a.want, err) //nolint:errorlint // each may be nil, which %w cannot print
	}
	return nil
}

// attempts, with an effect only where a layer is missing.
var attempts = []attempt{
	{"landlock_read", 1, false, unix.EACCES, func(string) error { return opened("/", unix.O_RDONLY|unix.O_DIRECTORY) }},
	{"landlock_write", 1, false, unix.EACCES, func(string) error { return opened("/dev/null", unix.O_WRONLY) }},
	{"landlock_tcp", 4, false, unix.EACCES, connectTCP},
	{"own_directory", 1, true, nil, writeOwn},
	{"seccomp_socket", 1, true, unix.EPERM, func(string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return errors.Join(err, closed(fd, err))
	}},
	// No path: EFAULT where the call is allowed.
	{"seccomp_exec", 1, true, unix.EPERM, raw(unix.SYS_EXECVE, 0, 0)},
	{"seccomp_kill", 1, true, unix.EPERM, func(string) error { return unix.Kill(unix.Getpid(), 0) }},
	{"seccomp_ptrace", 1, true, unix.EPERM, raw(unix.SYS_PTRACE, ^uintptr(0), 0)},
	{"seccomp_unshare", 1, true, unix.EPERM, raw(unix.SYS_UNSHARE, 0, 0)},
}

// tries are the names of what is tried on a kernel of that ABI, in order.
func tries(abi int) (names []string) {
	for _, t := range attempts {
		if abi >= t.abi {
			names = append(names, t.name)
		}
	}
	return names
}

func opened(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	return errors.Join(err, closed(fd, err))
}

func closed(fd int, err error) error {
	if err != nil {
		return nil //nolint:nilerr // nothing was opened, and the caller has the error
	}
	return unix.Close(fd)
}

// connectTCP asks for a port that nobody listens on; without the layer it is
// refused otherwise.
func connectTCP(string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return unix.EACCES // a kernel without the protocol has no way to it either
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 1, Addr: [4]byte{127, 0, 0, 1}})
}

func writeOwn(own string) error {
	fd, err := unix.Open(own, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(unix.Close(fd), unix.Unlinkat(unix.AT_FDCWD, own, 0))
}

func raw(nr, a1, a2 uintptr) func(string) error {
	return func(string) error {
		if _, _, errno := unix.RawSyscall(nr, a1, a2, 0); errno != 0 {
			return errno
		}
		return nil
	}
}
