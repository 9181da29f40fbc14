package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// MakeDir makes the broker's directory, its alone (0700), below a state
// directory that belongs to root, and lets its group pass through that. What is
// there already must be as this would make it: nothing is taken over, and what
// lies in it is not touched.
func MakeDir(state string, uid, gid uint32) (dir string, err error) {
	if err := reachable(filepath.Dir(state), uid, gid); err != nil {
		return "", err
	}
	parent, err := unix.Open(state, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("state_dir: %w", &fs.PathError{Op: "open", Path: state, Err: err})
	}
	defer unix.Close(parent)
	if err := passable(parent, state, gid); err != nil {
		return "", err
	}
	const name = "broker"
	dir = state + "/" + name
	made := unix.Mkdirat(parent, name, 0o700)
	if made != nil && !errors.Is(made, unix.EEXIST) {
		return "", &fs.PathError{Op: "mkdir", Path: dir, Err: made}
	}
	fd, err := unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("the broker's directory must be one, and no link: %w", &fs.PathError{Op: "open", Path: dir, Err: err})
	}
	defer unix.Close(fd)
	if made == nil {
		if err := unix.Fchown(fd, int(uid), int(gid)); err != nil {
			return "", &fs.PathError{Op: "chown", Path: dir, Err: err}
		}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return "", &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	if st.Uid != uid || st.Gid != gid {
		return "", fmt.Errorf("%s belongs to %d:%d, and the broker is %d:%d: give it to the broker (chown -R), or move it away", dir, st.Uid, st.Gid, uid, gid)
	}
	if st.Mode&0o7777 != 0o700 {
		return "", fmt.Errorf("%s has mode %04o, it must have 0700", dir, st.Mode&0o7777)
	}
	return dir, nil
}

// reachable says whether every directory from the root on lets the broker pass.
func reachable(path string, uid, gid uint32) error {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&0o001 == 0 && (st.Gid != gid || st.Mode&0o010 == 0) && (st.Uid != uid || st.Mode&0o100 == 0) {
		return fmt.Errorf("the broker, uid %d, cannot pass through %s to state_dir: let others pass (chmod o+x), or choose another state_dir", uid, path)
	}
	if path == "/" || path == "." {
		return nil
	}
	return reachable(filepath.Dir(path), uid, gid)
}

// passable lets the broker's group pass through the state directory, not look
// into it. One that everybody may pass through is the operator's choice.
func passable(fd int, path string, gid uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	switch {
	case st.Uid != 0:
		return fmt.Errorf("state_dir %s belongs to uid %d, it must belong to root", path, st.Uid)
	case st.Mode&0o022 != 0:
		return fmt.Errorf("state_dir %s has mode %04o: others than root may write there", path, st.Mode&0o7777)
	case st.Mode&0o001 != 0 || st.Gid == gid && st.Mode&0o010 != 0:
		return nil
	}
	if err := unix.Fchown(fd, -1, int(gid)); err != nil {
		return &fs.PathError{Op: "chown", Path: path, Err: err}
	}
	if err := unix.Fchmod(fd, st.Mode&0o700|0o010); err != nil {
		return &fs.PathError{Op: "chmod", Path: path, Err: err}
	}
	return nil
}

// onlyOurs marks every descriptor that this process was born with to be closed
// in what it executes: a shell's would else reach the broker.
func onlyOurs() error {
	const first = 3
	if err := unix.CloseRange(first, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return os.NewSyscallError("close_range", err)
	}
	return nil
}
