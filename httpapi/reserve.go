package httpapi

import (
	"net"
	"sync"
	"syscall"
)

// reserve are descriptors that are kept for when there are no others left: one to
// accept who comes, and one for each who is being refused. They are copies of the
// listener's own, which need no path that this process may have no right to.
type reserve struct {
	of syscall.RawConn // nil for a listener that has none

	mu     sync.Mutex
	fds    []int
	lent   int // in use for what they are kept for, so not to be made up for
	closed bool
}

func newReserve(ln net.Listener) *reserve {
	r := &reserve{}
	if s, ok := ln.(syscall.Conn); ok {
		r.of, _ = s.SyscallConn() // nil on failure
	}
	r.take()
	return r
}

// take gets back those that were given up, if they are to be had, and says whether
// all are there.
func (r *reserve) take() (all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil || r.closed {
		return true
	}
	want := atOnce + 1 - r.lent
	_ = r.of.Control(func(fd uintptr) {
		for len(r.fds) < want {
			n, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
			if errno != 0 {
				return
			}
			r.fds = append(r.fds, int(n))
		}
	})
	return len(r.fds) >= want
}

// lend says that one is in use for what it is kept for, where by is 1, or no longer,
// where it is -1.
func (r *reserve) lend(by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lent += by
}

// give lends one to whoever comes next, if there is one.
func (r *reserve) give() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.fds) == 0 {
		return false
	}
	r.drop()
	r.lent++
	return true
}

// drop needs mu.
func (r *reserve) drop() {
	last := len(r.fds) - 1
	_ = syscall.Close(r.fds[last])
	r.fds = r.fds[:last]
}

// accept gives one up and waits for whoever comes: the kernel says that there is no
// descriptor before it looks who is there. Whoever needed one at the same moment may
// have been quicker: then it fails as before.
func (r *reserve) accept(ln net.Listener, cause error) (net.Conn, error) {
	if !r.give() {
		r.take() // for the next time
		return nil, cause
	}
	defer r.lend(-1)
	return ln.Accept()
}

func (r *reserve) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for len(r.fds) > 0 {
		r.drop()
	}
}
