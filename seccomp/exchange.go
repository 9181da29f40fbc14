package seccomp

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is struct seccomp_notif; reply is struct seccomp_notif_resp
// (linux/seccomp.h).
type (
	notification struct {
		id    uint64
		pid   uint32
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	reply struct {
		id    uint64
		val   int64
		error int32
		flags uint32
	}
)

const (
	ioctlNotifRecv = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	ioctlNotifSend = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
)

// errGone says that the caller died, or its call was interrupted, before it
// could be received.
var errGone = errors.New("the notification's call is gone")

// exchange holds the two buffers of one listener, in words for the alignment.
type exchange struct{ notification, reply []uint64 }

// init makes the buffers as large as the kernel's structures: one younger than
// this code writes more than ours hold.
func (x *exchange) init() error {
	var sizes struct{ notification, reply, data uint16 }
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0,
		uintptr(unsafe.Pointer(&sizes)))
	if errno != 0 {
		return errno
	}
	words := func(kernel uint16, ours uintptr) []uint64 {
		return make([]uint64, (max(uintptr(kernel), ours)+7)/8)
	}
	x.notification = words(sizes.notification, unsafe.Sizeof(notification{}))
	x.reply = words(sizes.reply, unsafe.Sizeof(reply{}))
	return nil
}

// receive takes one notification and gives the call's number and the
// notification's id.
func (x *exchange) receive(fd int) (nr int, id uint64, err error) {
	clear(x.notification) // the kernel refuses a buffer that is not zero
	in := (*notification)(unsafe.Pointer(&x.notification[0]))
	err = ioctl(fd, ioctlNotifRecv, unsafe.Pointer(in))
	switch {
	case errors.Is(err, unix.ENOENT):
		return 0, 0, errGone
	case err != nil:
		return 0, 0, fmt.Errorf("seccomp listener: receive: %w", err)
	}
	return int(in.nr), in.id, nil
}

// refuse answers EPERM. That the caller died meanwhile is no error.
func (x *exchange) refuse(fd int, id uint64) error {
	clear(x.reply)
	out := (*reply)(unsafe.Pointer(&x.reply[0]))
	out.id, out.error = id, -int32(unix.EPERM)
	if err := ioctl(fd, ioctlNotifSend, unsafe.Pointer(out)); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("seccomp listener: answer: %w", err)
	}
	return nil
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return errno
		}
	}
}

// pollNow gives the listener's events without waiting.
func pollNow(fd int) (int16, error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		switch _, err := unix.Poll(fds, 0); err {
		case nil:
			return fds[0].Revents, nil
		case unix.EINTR:
		default:
			return 0, fmt.Errorf("seccomp listener: poll: %w", err)
		}
	}
}
