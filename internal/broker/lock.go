package broker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockName is the file in a state directory that the daemon which uses it has a
// lock on (fcntl(2), open file description locks): one can be asked for without
// being taken, and it ends with the process, however that ends.
const lockName = "daemon.lock"

// InUseError means that another daemon uses the state directory at this moment.
type InUseError struct {
	Dir string
	PID int // of that daemon; 0 where it cannot be told
	// Besides keeps this daemon from using the directory even when it is free.
	Besides error
}

func (e *InUseError) Error() string {
	who := "another daemon"
	if e.PID != 0 {
		who += fmt.Sprintf(", pid %d,", e.PID)
	}
	text := fmt.Sprintf("%s uses state_dir %s", who, e.Dir)
	var foreign *notOursError
	switch {
	case errors.As(e.Besides, &foreign): // whose broker is another user: not for this one at all
		return fmt.Sprintf("%s (%s): leave that as it is, and give this daemon another one (--state-dir, or state_dir in its configuration)", text, foreign.whose())
	case e.Besides != nil:
		return fmt.Sprintf("%s: give this one another (--state-dir, or state_dir in its configuration); besides, %v", text, e.Besides)
	}
	return text + ": give this one another (--state-dir, or state_dir in its configuration), or stop that daemon first"
}

func (e *InUseError) Unwrap() error { return e.Besides }

// whole is a lock on all of a file.
func whole() *unix.Flock_t { return &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart} }

// lock takes the directory for this process.
func lock(dir int, state string) (*os.File, error) {
	f, err := openLock(dir, state, unix.O_RDWR|unix.O_CREAT)
	if err != nil {
		return nil, err
	}
	err = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, whole())
	switch {
	case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES):
		err = &InUseError{Dir: state, PID: holder(f)}
	case err != nil:
		err = &fs.PathError{Op: "fcntl F_OFD_SETLK", Path: f.Name(), Err: err}
	default:
		// The pid is for people, who see none where a full disk has no room for it:
		// the lock holds without. Written over the one before, it needs none.
		pid := []byte(strconv.Itoa(os.Getpid()) + "\n")
		if _, err := f.WriteAt(pid, 0); err != nil {
			_ = f.Truncate(0)
		} else {
			_ = f.Truncate(int64(len(pid)))
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// locked is *InUseError if another process has the directory. besides is for it.
func locked(dir int, state string, besides error) error {
	f, err := openLock(dir, state, unix.O_RDONLY)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	asked := whole()
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, asked); err != nil {
		return &fs.PathError{Op: "fcntl F_OFD_GETLK", Path: f.Name(), Err: err}
	}
	if asked.Type == unix.F_UNLCK {
		return nil
	}
	return &InUseError{Dir: state, PID: holder(f), Besides: besides}
}

func openLock(dir int, state string, flags int) (*os.File, error) {
	path := filepath.Join(state, lockName)
	fd, err := unix.Openat(dir, lockName, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// holder is the pid that the holder has written there, if that process has the file
// open: an older one's could be anybody's by now, and so could one of another pid
// namespace.
func holder(f *os.File) (pid int) {
	var b [16]byte
	n, _ := f.ReadAt(b[:], 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil || pid <= 0 {
		return 0
	}
	own, err := f.Stat()
	if err != nil {
		return 0
	}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return 0
	}
	for _, one := range open {
		if info, err := os.Stat(one); err == nil && os.SameFile(own, info) {
			return pid
		}
	}
	return 0
}
