package testproc

import (
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Kill makes the kernel kill this process when a thread of it begins the system call nr.
func Kill(nr uint32) error {
	_, err := install(nr, unix.SECCOMP_RET_KILL_PROCESS, unix.SECCOMP_FILTER_FLAG_TSYNC)
	return err
}

// Held is a thread, or a process that it started, at one system call.
type Held struct {
	listener *os.File
	call     notification // what was received last
}

// Hold runs f on a thread of its own. The kernel holds this thread, and each process
// that f starts, before every system call nr, until Release or the test's end.
func Hold(t *testing.T, nr uint32, f func()) *Held {
	t.Helper()
	var fd uintptr
	var err error
	installed := make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its filter
		fd, err = install(nr, unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
		close(installed)
		if err == nil {
			f()
		}
	}()
	<-installed
	require.NoError(t, err)
	h := &Held{listener: os.NewFile(fd, "seccomp listener")}
	t.Cleanup(h.Release)
	return h
}

// Await returns when the held process has reached the call.
func (h *Held) Await(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		left := time.Until(deadline)
		require.Positive(t, left, "it does not come to the system call")
		events := h.poll(int(left.Milliseconds()) + 1)
		require.Zero(t, events&unix.POLLHUP, "it has ended without the system call")
		if events&unix.POLLIN != 0 && h.receive() {
			return
		}
	}
}

// Release lets it go on, at this call and at those after it.
func (h *Held) Release() {
	if h.listener == nil {
		return
	}
	rest := &Held{listener: h.listener, call: h.call}
	h.listener = nil
	go func() {
		defer rest.listener.Close()
		for rest.answer(); rest.poll(-1)&unix.POLLHUP == 0; rest.answer() {
			rest.receive()
		}
	}()
}

// patience is for what must happen and never does.
const patience = 3 * time.Minute

// notification and reply are struct seccomp_notif and seccomp_notif_resp of
// linux/seccomp.h.
type (
	notification struct {
		id         uint64
		pid, flags uint32
		data       [8]uint64
	}
	reply struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
)

// install loads a filter that takes action on one call and allows all others: for the
// calling thread, or with SECCOMP_FILTER_FLAG_TSYNC for all threads.
func install(nr, action uint32, flags uintptr) (fd uintptr, err error) {
	code := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // seccomp_data.nr
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: nr, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: action},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return 0, os.NewSyscallError("seccomp", errno)
	}
	return fd, nil
}

func (h *Held) poll(milliseconds int) int16 {
	fds := []unix.PollFd{{Fd: int32(h.listener.Fd()), Events: unix.POLLIN}}
	_, _ = unix.Poll(fds, milliseconds) // EINTR is no event
	return fds[0].Revents
}

// receive is false where a signal has interrupted the call, which is then made again.
// Once received it is interrupted by SIGKILL alone.
func (h *Held) receive() bool {
	h.call = notification{}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, h.listener.Fd(), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&h.call)))
	return errno == 0
}

// answer lets the call go on that was received last.
func (h *Held) answer() {
	if h.call.id != 0 {
		goOn := reply{id: h.call.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		// It fails where the process was killed meanwhile.
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, h.listener.Fd(), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&goOn)))
	}
	h.call = notification{}
}
