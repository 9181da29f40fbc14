package posture

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// proc is the directory of one process in /proc. Its descriptor means that
// process and no later one of the same number. Each jail is looked at, at times
// while a run waits, so the files are read by bare system calls: package os asks the kernel
// for more than their text.
type proc struct {
	fd  int
	buf []byte
}

func openProc(pid int) (*proc, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d", pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &proc{fd: fd, buf: make([]byte, 16<<10)}, nil
}

func (p *proc) close() { unix.Close(p.fd) }

// file is the text of a file, whole.
func (p *proc) file(name string) (string, error) {
	fd, err := p.open(name, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	for n := 0; ; {
		if n == len(p.buf) {
			p.buf = append(p.buf, make([]byte, len(p.buf))...)
		}
		m, err := unix.Read(fd, p.buf[n:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return "", fmt.Errorf("%s: %w", name, err)
		case m == 0:
			return string(p.buf[:n]), nil
		default:
			n += m
		}
	}
}

func (p *proc) open(name string, flags int) (int, error) {
	fd, err := unix.Openat(p.fd, name, unix.O_RDONLY|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return -1, fmt.Errorf("%s: %w", name, err)
	}
	return fd, nil
}

// link is where a link leads, as the kernel words it.
func (p *proc) link(name string) (string, error) {
	n, err := unix.Readlinkat(p.fd, name, p.buf)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(p.buf[:n]), nil
}

// names lists a directory.
func (p *proc) names(dir string) (names []string, err error) {
	fd, err := p.open(dir, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.ReadDirent(fd, p.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if n == 0 {
			return names, nil
		}
		_, _, names = unix.ParseDirent(p.buf[:n], -1, names)
	}
}

// links are all links of a directory, by name.
func (p *proc) links(dir string) (map[string]string, error) {
	names, err := p.names(dir)
	if err != nil {
		return nil, err
	}
	links := make(map[string]string, len(names))
	for _, name := range names {
		target, err := p.link(dir + "/" + name)
		if errors.Is(err, unix.ENOENT) { // closed meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		links[name] = target
	}
	return links, nil
}
