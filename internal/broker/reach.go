package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reachable says whether every directory from the root on lets the broker pass,
// as far as they are there; MakeDir makes the others so.
func reachable(path string, uid, gid uint32) error {
	real, err := filepath.EvalSymlinks(path)
	_, missing := os.Lstat(path) // and no link to what is not there
	switch {
	case errors.Is(missing, fs.ErrNotExist) && filepath.Dir(path) != path:
		return reachable(filepath.Dir(path), uid, gid)
	case err != nil:
		return fmt.Errorf("state_dir: %w", err)
	}
	for path = real; ; path = filepath.Dir(path) {
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			return fmt.Errorf("state_dir: %w", &fs.PathError{Op: "stat", Path: path, Err: err})
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return fmt.Errorf("state_dir lies below %s, which is not a directory", path)
		}
		if !passes(st, uid, gid) {
			return fmt.Errorf("the broker, uid %d, cannot pass through %s to state_dir: let others pass (chmod o+x), or choose another state_dir", uid, path)
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}

// passes is path_resolution(7): the first of owner, group and others that fits decides.
func passes(st unix.Stat_t, uid, gid uint32) bool {
	switch {
	case st.Uid == uid:
		return st.Mode&0o100 != 0
	case st.Gid == gid:
		return st.Mode&0o010 != 0
	}
	return st.Mode&0o001 != 0
}

// MakeDir makes a directory with that mode, whatever the umask, and those above it
// that are missing, which others may pass through. One that is there stays as it is.
// Each has its mode from the first moment on: to whoever comes after a kill one that
// is there looks like the operator's.
//
// Preconditions: nothing else in the process makes files meanwhile, which would get
// all of their mode.
func MakeDir(path string, mode os.FileMode) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := MakeDir(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	old := unix.Umask(0)
	err := os.Mkdir(path, mode)
	unix.Umask(old)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// letPass lets the broker's group pass through the state directory, not look
// into it. One that everybody may pass through is the operator's choice.
//
// Preconditions: the caller holds its lock.
func letPass(fd int, path string, uid, gid uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if passes(st, uid, gid) {
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
