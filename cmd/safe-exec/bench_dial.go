package main

import (
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// otherUID is a second caller for a benchmark; nobody has to be called so.
const otherUID = 65533

// dialAs connects to a Unix socket as another user. The kernel tells a listener who
// the thread was that connected (SO_PEERCRED, unix(7)), so it is one thread that
// changes its effective uid, by the bare call: the libraries change all of them. Its
// uid for file systems stays root's, which the socket lets in.
func dialAs(uid int, path string) (net.Conn, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	runtime.LockOSThread()
	if err := becomeForNow(uid); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, 0, 0, 0) // it gives the uid before, no error: connect tells
	err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
	if back := becomeForNow(0); back != nil {
		return nil, back // locked still, the thread ends with its goroutine
	}
	runtime.UnlockOSThread()
	if err != nil {
		return nil, fmt.Errorf("connect as uid %d: %w", uid, err)
	}
	return net.FileConn(f)
}

// becomeForNow changes the effective uid of this thread, which root's real uid takes
// back.
func becomeForNow(uid int) error {
	const keep = ^uintptr(0)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, keep, uintptr(uid), keep); errno != 0 {
		return fmt.Errorf("become uid %d: %w", uid, os.NewSyscallError("setresuid", errno))
	}
	return nil
}
