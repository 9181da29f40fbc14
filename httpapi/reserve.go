package httpapi

import (
	"net"
	"sync"
	"syscall"
)

// reserve is a descriptor that is kept for when there is no other left: a copy of
// a listener's own, which needs no path that this process may have no right to.
type reserve struct {
	of syscall.RawConn // nil for a listener that has none

	mu     sync.Mutex
	fd     int // -1 when it is given up
	closed bool
}

func newReserve(ln net.Listener) *reserve {
	r := &reserve{fd: -1}
	if s, ok := ln.(syscall.Conn); ok {
		r.of, _ = s.SyscallConn() // nil on failure
	}
	r.take()
	return r
}

// take gets the descriptor back, if there is one to be had.
func (r *reserve) take() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil || r.closed || r.fd >= 0 {
		return
	}
	_ = r.of.Control(func(fd uintptr) {
		n, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
		if errno == 0 {
			r.fd = int(n)
		}
	})
}

func (r *reserve) there() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fd >= 0
}

// give says whether there was a descriptor to give up.
func (r *reserve) give() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fd < 0 {
		return false
	}
	_ = syscall.Close(r.fd)
	r.fd = -1
	return true
}

// accept gives the reserve up and waits for whoever comes: the kernel says that
// there is no descriptor before it looks who is there. It takes it back if by then
// there is one. Whoever needed one at the same moment may have been quicker: then
// it fails as before.
func (r *reserve) accept(ln net.Listener, cause error) (net.Conn, error) {
	if !r.give() {
		r.take() // for the next time
		return nil, cause
	}
	c, err := ln.Accept()
	r.take()
	return c, err
}

func (r *reserve) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.give()
}
