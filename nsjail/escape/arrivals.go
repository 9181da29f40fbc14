package escape

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// finder says who can find a planted listener.
type finder bool

const (
	foundByProbes finder = false // by its path: every connection counts
	foundByAll    finder = true  // /proc/net shows it: a connection counts that sends the secret
)

// Bounds of what strangers can make a listener hold.
const (
	mostHeld = 64              // connections; of more the oldest ends
	longHeld = 2 * time.Second // each
	mostRead = 4096            // bytes of each; a probe sends its secret first
)

// arrivals are planted listeners and what of a probe has reached them. Everybody who
// connects is sent the greeting: a probe proves by it where it has been.
type arrivals struct {
	greeting, secret string
	counted          atomic.Int64

	mu        sync.Mutex
	closed    bool
	listeners []net.Listener
	held      []*arrival // the oldest first
}

// arrival is one connection.
type arrival struct {
	net.Conn
	done chan struct{} // closed when nothing more is read of it
}

func (a *arrivals) listen(network, address string, by finder) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return fmt.Errorf("plant a %s listener: %w", network, err)
	}
	a.serve(l, by)
	return nil
}

// listenTCP gives the port, on 127.0.0.1. Any user can take all ports that the
// kernel picks from; those that are root's stay.
func (a *arrivals) listenTCP() (port int, err error) {
	const first, last = 1023, 600 // as rresvport takes them
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	for port := first; port >= last && errors.Is(err, unix.EADDRINUSE); port-- {
		l, err = net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	}
	if err != nil {
		return 0, fmt.Errorf("plant a tcp4 listener: %w", err)
	}
	a.serve(l, foundByAll)
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (a *arrivals) serve(l net.Listener, by finder) {
	a.mu.Lock()
	a.listeners = append(a.listeners, l)
	a.mu.Unlock()
	go func() {
		for {
			c, err := l.Accept()
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil: // want of descriptors passes
				time.Sleep(10 * time.Millisecond)
				continue
			}
			if by == foundByProbes {
				a.counted.Add(1)
			}
			one := &arrival{c, make(chan struct{})}
			if !a.hold(one) {
				return
			}
			_ = c.SetDeadline(time.Now().Add(longHeld))
			_, _ = c.Write([]byte(a.greeting))
			go func() {
				if by == foundByAll && a.hears(c) {
					a.counted.Add(1)
				}
				a.drop(one)
			}()
		}
	}()
}

// hears says whether the secret comes.
func (a *arrivals) hears(c net.Conn) bool {
	text := make([]byte, mostRead)
	for n := 0; n < mostRead; {
		more, err := c.Read(text[n:])
		n += more
		if bytes.Contains(text[:n], []byte(a.secret)) {
			return true
		}
		if err != nil {
			return false
		}
	}
	return false
}

// hold keeps a connection among those that are open, and ends the oldest of too many.
func (a *arrivals) hold(c *arrival) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		c.Close()
		return false
	}
	if len(a.held) == mostHeld {
		a.held[0].Close()
		a.held = a.held[1:]
	}
	a.held = append(a.held, c)
	return true
}

func (a *arrivals) drop(c *arrival) {
	c.Close()
	close(c.done)
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, one := range a.held {
		if one == c {
			a.held = append(a.held[:i], a.held[i+1:]...)
			return
		}
	}
}

// settled gives the count when what had arrived by now is read, or its time is over.
func (a *arrivals) settled() int64 {
	a.mu.Lock()
	open := append([]*arrival(nil), a.held...)
	a.mu.Unlock()
	for _, one := range open {
		<-one.done
	}
	return a.counted.Load()
}

// close ends the listeners and what is open.
func (a *arrivals) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for _, l := range a.listeners {
		l.Close()
	}
	for _, c := range a.held {
		c.Close()
	}
	a.held = nil
}
