package nsjail

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// pidfd holds a process (pidfd_open(2)). The number of a closed descriptor may
// be another jail's process a moment later, so every use is under the lock and
// does nothing once it is closed.
type pidfd struct {
	mu     sync.Mutex
	fd     int // -1 once closed
	number int // as this process sees it; 0 until it is known
}

func newPidfd(fd int) *pidfd { return &pidfd{fd: fd} }

func (p *pidfd) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fd >= 0 {
		unix.Close(p.fd)
		p.fd = -1
	}
}

// kill sends SIGKILL; a process that is dead already is no error.
func (p *pidfd) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fd >= 0 {
		_ = unix.PidfdSendSignal(p.fd, unix.SIGKILL, nil, 0)
	}
}

// ended waits for the end of the process, at most for timeout.
//
// Preconditions: close is called by no other goroutine meanwhile.
func (p *pidfd) ended(timeout time.Duration) bool {
	deadline := time.Now().Add(timeout)
	for {
		left := max(time.Until(deadline), 0)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, int(left.Milliseconds()))
		switch {
		case err == unix.EINTR:
			continue
		case n > 0 || err != nil:
			return err == nil
		case time.Now().After(deadline):
			return false
		}
	}
}

// pid is the process's number as this process sees it. It means that process for
// as long as it lives, which is to be asked after its use. ESRCH if it was reaped
// when it was first asked.
//
// Preconditions: called by one goroutine at a time.
func (p *pidfd) pid() (int, error) {
	if p.number > 0 {
		return p.number, nil
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", p.fd))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "Pid:"); ok {
			pid, err := strconv.Atoi(strings.TrimSpace(value))
			if err == nil && pid <= 0 {
				err = syscall.ESRCH
			}
			p.number = pid
			return pid, err
		}
	}
	return 0, wire.ErrMalformed
}

// take copies a descriptor out of the process (pidfd_getfd(2), Linux 5.6).
func (p *pidfd) take(number int) (int, error) {
	fd, err := unix.PidfdGetfd(p.fd, number, 0)
	if err != nil {
		return -1, fmt.Errorf("pidfd_getfd: %w", err)
	}
	return fd, nil
}
