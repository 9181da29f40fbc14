package httpapi

import (
	"container/list"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// listener bounds open connections: each costs a descriptor, and a daemon that has
// none left makes no jails.
//
// It keeps descriptors in reserve: where there are no others left, one of those is
// given up to accept who is there, to refuse him, and taken back.
type listener struct {
	net.Listener
	bound   *connections
	reserve *reserve
	refused refusals
}

// connections counts those of all listeners of a server. The two kinds of callers
// have places of their own, and so has whoever comes over TCP and is not known
// before a token has come: neither takes from the others.
type connections struct {
	mu        sync.Mutex
	uids      *places // over the Unix socket
	tokens    *places
	strangers *strangers
}

// conn is a counted connection that knows where it comes from. It is counted in one
// place at most, which bound's mu guards.
type conn struct {
	net.Conn
	tcp   bool
	peer  Peer   // of a Unix socket
	from  string // address, of TCP
	bound *connections

	stranger *list.Element // among bound's strangers
	came     time.Time     // there
	in       *places
	who      holder // in there
}

// Close also gives up the reserve, without which the address would stay taken.
func (l *listener) Close() error {
	l.reserve.close()
	l.refused.hurry()
	return l.Listener.Close()
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.bound.leave(c) // not before the descriptor is free again
	return err
}

// CloseWrite is what net/http does before it gives up a request that it did not
// read to its end: without it the reply could be lost.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func newConnections(each, shared int) *connections {
	return &connections{uids: newPlaces(each, shared), tokens: newPlaces(each, shared), strangers: newStrangers(maxStrangers)}
}

func newListener(ln net.Listener, bound *connections, patience time.Duration) *listener {
	return &listener{Listener: ln, bound: bound, reserve: newReserve(ln), refused: refusals{patience: patience}}
}

// Accept hands on what is within the bounds. What is not gets a 429 and is
// closed, whatever it asks.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			c, err = l.reserve.accept(l.Listener, err)
		}
		if err != nil {
			return nil, err // http.Server waits, longer each time, if it is one of the passing kind
		}
		if l.reserve.take() {
			if known, ok := l.admit(c); ok {
				return known, nil
			}
		}
		l.reserve.lend(1)
		l.refused.refuse(c, func() {
			l.reserve.lend(-1) // before there is one more: who comes now must find one missing
			c.Close()
			l.reserve.take()
		})
	}
}

// admit counts a connection, unless its caller has too many, or all have.
func (l *listener) admit(c net.Conn) (net.Conn, bool) {
	known := &conn{Conn: c, bound: l.bound}
	if tcp, ok := c.(*net.TCPConn); ok {
		known.tcp = true
		if from, ok := tcp.RemoteAddr().(*net.TCPAddr); ok {
			known.from = from.IP.String()
		}
		l.bound.stranger(known)
		return known, true
	}
	peer, err := PeerOf(c)
	if err != nil {
		return c, true // its requests are refused: nobody knows whose they are
	}
	known.peer = peer
	return known, l.bound.enter(known, l.bound.uids, holder{uid: peer.UID})
}

// enter counts a connection from now on as one of who's.
func (b *connections) enter(c *conn, in *places, who holder) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.in == in && c.who == who {
		return true
	}
	if !in.enter(who) {
		return false
	}
	b.forget(c)
	c.in, c.who = in, who
	return true
}

// claim counts a connection over TCP as a token's from now on.
func (b *connections) claim(c *conn, token string) bool {
	return b.enter(c, b.tokens, holder{token: token})
}

// stranger takes in whoever comes over TCP, and closes who makes room.
func (b *connections) stranger(c *conn) {
	for {
		b.mu.Lock()
		victim, wait := b.strangers.enter(c, time.Now())
		b.mu.Unlock()
		if wait <= 0 {
			if victim != nil {
				victim.Close()
			}
			return
		}
		time.Sleep(wait) // whoever else comes stands in the kernel's queue
	}
}

func (b *connections) leave(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(c)
}

// forget needs mu.
func (b *connections) forget(c *conn) {
	if c.stranger != nil {
		b.strangers.leave(c)
	}
	if c.in != nil {
		c.in.count(c.who, -1)
		c.in = nil
	}
}
