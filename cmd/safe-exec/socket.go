package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/internal/broker"
)

// lockSocket makes sure that one daemon at a time owns a socket path, and that
// nothing but a socket is there to be replaced. The lock ends with the process,
// so a socket whose lock is free is stale.
func lockSocket(path string) (unlock func(), err error) {
	if err := makeEntrance(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("socket lock: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, servedError(path)
		}
		return nil, fmt.Errorf("flock %s.lock: %w", path, err)
	}
	if err := onlySocket(path); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// makeEntrance makes a directory that callers can pass through, whatever the
// umask. One that exists is the operator's and stays as it is.
func makeEntrance(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return broker.MakeDir(dir, 0o755)
}

// passable says whether members of a group can enter a directory.
func passable(dir string, gid int) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if ok && owner.Gid == uint32(gid) {
		return info.Mode()&0o010 != 0
	}
	return info.Mode()&0o001 != 0
}

// lookSocket says what keeps a daemon from listening there, and changes nothing.
func lookSocket(path string) error {
	if err := onlySocket(path); err != nil {
		return &mistakeError{err}
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			continue // it is made
		case err != nil:
			return &mistakeError{fmt.Errorf("socket: %w", err)}
		case !info.IsDir():
			return &mistakeError{fmt.Errorf("socket: %s is not a directory", dir)}
		}
		break
	}
	return nil
}

// listenedOn says whether somebody listens there. It takes no lock: a daemon that
// starts meanwhile must get it. One that was killed may listen for a moment yet.
func listenedOn(path string) error {
	c, err := net.Dial("unix", path)
	if err == nil {
		c.Close()
	}
	if err == nil || errors.Is(err, unix.EAGAIN) { // its queue is full
		return servedError(path)
	}
	return nil
}

func servedError(path string) error {
	return &busyError{fmt.Errorf("another daemon serves %s: give this one another socket (--socket), or stop that one first", path)}
}

// onlySocket refuses a path that holds anything but a socket.
func onlySocket(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("socket: %w", err)
	case info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	return nil
}

// listen replaces a stale socket, and nothing but a socket. Its mode is 0660;
// gid owns it.
//
// Preconditions: the caller holds the path's lock.
func listen(path string, gid int) (net.Listener, error) {
	if err := onlySocket(path); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("stale socket: %w", err)
	}
	// Made with no permission for others from the first moment on.
	old := unix.Umask(0o117)
	l, err := net.Listen("unix", path)
	unix.Umask(old)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(path, 0, gid); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// groupID finds the group whose members may run programs.
func groupID(name string) (int, error) {
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(g.Gid)
}
