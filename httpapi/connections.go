package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// listener bounds open connections, of one holder and of all: each costs a
// descriptor, and a daemon that has none left makes no jails. Root counts only
// against its own bound, so that the operator gets in when agents have taken
// all there is. TCP, where nobody is known before a token has come, gets half.
//
// It keeps a descriptor in reserve: where there is no other left, that one is
// given up to accept who is there, to refuse him, and taken back.
type listener struct {
	net.Listener
	bound   *connections
	reserve *reserve
}

// connections counts those of all listeners of a server.
type connections struct {
	each, all int

	mu       sync.Mutex
	open     map[holder]int
	sum, tcp int // sum is without root's
}

// holder is who connections are counted for: a uid of this host, an address that
// TCP came from or, once it was shown, a token.
type holder struct {
	tcp   bool
	uid   uint32
	addr  netip.Addr
	token string
}

// conn is a counted connection that knows where it comes from.
type conn struct {
	net.Conn
	tcp      bool
	peer     Peer // of a Unix socket
	failures atomic.Int32
	bound    *connections
	who      holder // guarded by bound's mu
	once     sync.Once
}

// Close also gives up the reserve, without which the address would stay taken.
func (l *listener) Close() error {
	l.reserve.close()
	return l.Listener.Close()
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.bound.leave(c) }) // not before the descriptor is free again
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

func newConnections(each, all int) *connections {
	return &connections{each: each, all: all, open: map[holder]int{}}
}

func newListener(ln net.Listener, bound *connections) *listener {
	return &listener{Listener: ln, bound: bound, reserve: newReserve(ln)}
}

// Accept hands on what is within the bounds. What is not gets a 429 and is
// closed without a look at its request.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		refuse := false
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			c, err = l.reserve.accept(l.Listener, err)
			refuse = !l.reserve.there()
		}
		if err != nil {
			return nil, err // http.Server waits, longer each time, if it is one of the passing kind
		}
		if !refuse {
			if known, ok := l.admit(c); ok {
				return known, nil
			}
		}
		// The socket's buffer is empty and takes a reply at once; the deadline
		// is for the case that it does not.
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(tooManyConnections())
		c.Close()
		if refuse {
			l.reserve.take()
		}
	}
}

// admit counts a connection, unless there are too many.
func (l *listener) admit(c net.Conn) (net.Conn, bool) {
	known := &conn{Conn: c, bound: l.bound}
	switch c := c.(type) {
	case *net.TCPConn:
		known.tcp = true
		known.who.tcp = true
		if from, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil {
			known.who.addr = from.Addr().Unmap()
		}
	default:
		peer, err := PeerOf(c)
		if err != nil {
			return c, true // its requests are refused: nobody knows whose they are
		}
		known.peer, known.who.uid = peer, peer.UID
	}
	return known, l.bound.enter(known.who)
}

func (b *connections) enter(who holder) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.open[who] >= b.each,
		!who.root() && b.sum >= b.all,
		who.tcp && b.tcp >= max(b.all/2, 1):
		return false
	}
	b.count(who, 1)
	return true
}

func (h holder) root() bool { return !h.tcp && h.uid == 0 }

func (b *connections) leave(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count(c.who, -1)
}

// claim counts a connection over TCP as a token's from now on. A token has half of
// what an address has: where all come from one, it cannot shut other tokens out.
func (b *connections) claim(c *conn, token string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	to := holder{tcp: true, token: token}
	if c.who == to {
		return true
	}
	if b.open[to] >= max(b.each/2, 1) {
		return false
	}
	b.count(c.who, -1)
	c.who = to
	b.count(to, 1)
	return true
}

// count needs mu.
func (b *connections) count(who holder, by int) {
	if b.open[who] += by; b.open[who] == 0 {
		delete(b.open, who)
	}
	if !who.root() {
		b.sum += by
	}
	if who.tcp {
		b.tcp += by
	}
}

func tooManyConnections() []byte {
	p := ProblemOf(busy(BusyConnections, minRetry, "this caller, or all together, hold too many connections"))
	// It holds constants only, so there is nothing that cannot be encoded.
	body, _ := json.Marshal(p)
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nRetry-After: %d\r\nConnection: close\r\n\r\n%s",
		p.Status, http.StatusText(p.Status), ProblemType, len(body), p.RetryAfter, body)
	return b.Bytes()
}
