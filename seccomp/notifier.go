package seccomp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// OtherCalls is the key of Notifier.Counts for refused numbers beyond
// maxDistinct: the program picks the numbers, so it must not pick our memory.
const (
	OtherCalls  = -1
	maxDistinct = 512
)

// Notifier answers what one filter reports: every call gets EPERM. None is ever
// let through (SECCOMP_USER_NOTIF_FLAG_CONTINUE), since what its arguments
// point to could change between our look and the kernel's. Needs Linux 5.0.
type Notifier struct {
	listener *os.File
	exchange exchange
	exceeded chan struct{}
	closed   atomic.Bool

	mu     sync.Mutex // guards what follows
	counts map[int]int64
	total  int64
	hear   func(nr int)
	heard  map[int]bool
}

// NewNotifier takes over the listener of a filter, the descriptor that
// SECCOMP_FILTER_FLAG_NEW_LISTENER gave; it is closed on an error too.
func NewNotifier(listener int) (*Notifier, error) {
	unix.CloseOnExec(listener)
	// Non-blocking, so that the runtime's poller takes the descriptor and a
	// waiting Notifier costs no thread.
	if err := unix.SetNonblock(listener, true); err != nil {
		unix.Close(listener)
		return nil, fmt.Errorf("seccomp listener: set non-blocking: %w", err)
	}
	n := &Notifier{
		listener: os.NewFile(uintptr(listener), "seccomp listener"),
		exceeded: make(chan struct{}),
		counts:   make(map[int]int64),
	}
	if err := n.listener.SetReadDeadline(time.Time{}); err != nil {
		n.listener.Close()
		return nil, fmt.Errorf("seccomp listener: poll: %w", err)
	}
	if err := n.exchange.init(); err != nil {
		n.listener.Close()
		return nil, fmt.Errorf("seccomp listener: get structure sizes: %w", err)
	}
	return n, nil
}

// Close closes the listener; a running Run returns. Calls that are refused
// later get ENOSYS and are not counted.
func (n *Notifier) Close() error {
	n.closed.Store(true)
	return n.listener.Close()
}

// Counts gives the refused calls so far by number, with those beyond 512
// distinct numbers under OtherCalls. Without SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
// (Linux 5.19) a signal can make a call that was received start again, and it is
// counted again.
func (n *Notifier) Counts() map[int]int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return maps.Clone(n.counts)
}

// Total gives the number of refused calls so far.
func (n *Notifier) Total() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total
}

// Hear makes hear hear of each number once that is refused from now on, before
// the program sees the refusal; OtherCalls stands for those beyond 512. It must
// not block.
func (n *Notifier) Hear(hear func(nr int)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hear, n.heard = hear, make(map[int]bool)
}

// Exceeded is closed when the total first passes the maximum given to Run.
func (n *Notifier) Exceeded() <-chan struct{} { return n.exceeded }

// Run answers until the last process under the filter is gone (nil), ctx ends
// (its error), or Close is called (os.ErrClosed). Past max refused calls it
// closes Exceeded and goes on answering, so that the program stays responsive
// to being killed. Any other error means that calls may be left unanswered: the
// program hangs in them and must be killed. Run may be called once.
func (n *Notifier) Run(ctx context.Context, max int64) error {
	conn, err := n.listener.SyscallConn()
	if err != nil {
		return err
	}
	// It fails for a closed listener alone, and nothing waits on that.
	stop := context.AfterFunc(ctx, func() { _ = n.listener.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var failed error
	err = conn.Read(func(fd uintptr) (done bool) {
		for ctx.Err() == nil {
			// Receiving blocks whatever the descriptor's flags, hence the poll.
			events, err := pollNow(int(fd))
			switch {
			case err != nil:
				failed = err
				return true
			case events&unix.POLLIN != 0:
				if failed = n.answer(int(fd), max); failed != nil {
					return true
				}
			case events != 0: // POLLHUP: nobody is under the filter any more
				return true
			default:
				return false
			}
		}
		return true
	})
	switch {
	case failed != nil:
		return failed
	case ctx.Err() != nil:
		return ctx.Err()
	case n.closed.Load():
		return os.ErrClosed
	case err != nil:
		return fmt.Errorf("seccomp listener: wait: %w", err)
	}
	return nil
}

// answer receives one notification, counts it and refuses the call: in that
// order, so that a program never sees a refusal that is not counted yet.
func (n *Notifier) answer(fd int, max int64) error {
	nr, id, err := n.exchange.receive(fd)
	if errors.Is(err, errGone) {
		return nil
	}
	if err != nil {
		return err
	}
	n.count(nr, max)
	return n.exchange.refuse(fd, id)
}

func (n *Notifier) count(nr int, max int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.counts[nr]; !known && len(n.counts) >= maxDistinct {
		nr = OtherCalls
	}
	n.counts[nr]++
	if n.hear != nil && !n.heard[nr] {
		n.heard[nr] = true
		n.hear(nr)
	}
	if n.total++; n.total == max+1 {
		close(n.exceeded)
	}
}
