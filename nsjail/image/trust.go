package image

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks bounds symbolic links on one path, as the kernel does (path_resolution(7)).
const maxLinks = 40

// trustedPath resolves the symbolic links of an absolute path and demands that
// nobody but root can change what it leads to: every directory and link on the
// way and the file itself. A sticky directory passes, since what root owns in
// it nobody else can rename or remove.
func trustedPath(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s is not an absolute path", path)
	}
	rest := strings.Split(filepath.Clean(path), "/")[1:]
	at, links := "/", 0
	for {
		info, err := os.Lstat(at)
		if err != nil {
			return "", err
		}
		if err := trusted(at, info); err != nil {
			return "", err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			if links++; links > maxLinks {
				return "", &fs.PathError{Op: "lstat", Path: path, Err: syscall.ELOOP}
			}
			target, err := os.Readlink(at)
			if err != nil {
				return "", err
			}
			if !filepath.IsAbs(target) {
				// The directory the link stands in holds no links any more.
				target = filepath.Dir(at) + "/" + target
			}
			// Not Clean alone: ".." behind a link would go astray, so the
			// target is walked again from the root.
			rest = append(strings.Split(target, "/")[1:], rest...)
			at = "/"
			continue
		}
		part := ""
		for part == "" && len(rest) > 0 {
			part, rest = rest[0], rest[1:]
			if part == "." {
				part = ""
			}
		}
		switch {
		case part == "":
			return at, nil
		case !info.IsDir():
			return "", &fs.PathError{Op: "lstat", Path: at + "/" + part, Err: syscall.ENOTDIR}
		case part == "..":
			at = filepath.Dir(at)
		default:
			at = filepath.Join(at, part)
		}
	}
}

// trusted tells whether only root can change one file, directory or link. An
// access list that lets others write shows in the group bits (acl(5)).
func trusted(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: owner unknown", path)
	}
	switch {
	case st.Uid != 0:
		return fmt.Errorf("%s belongs to uid %d and so is not safe to run as root: %w", path, st.Uid, syscall.EPERM)
	case info.Mode().Type() == fs.ModeSymlink:
		return nil
	case info.IsDir() && info.Mode()&fs.ModeSticky != 0:
		return nil
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s is writable by others than root (mode %04o): %w", path, info.Mode().Perm(), syscall.EPERM)
	}
	return nil
}

// readTrusted reads a regular file that only root can have written. The path
// must be resolved.
func readTrusted(path string) ([]byte, error) {
	f, info, err := openTrusted(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, info.Size())
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return b, nil
}

func openTrusted(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = trusted(path, info)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
