package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// listener bounds open connections, of one uid and of all: each costs a
// descriptor, and a daemon that has none left makes no jails. Root counts only
// against its own bound, so that the operator gets in when agents have taken
// all there is.
type listener struct {
	net.Listener
	perUID, all int

	mu   sync.Mutex
	open map[uint32]int
	sum  int // without root's
}

// conn is a counted connection that knows its peer.
type conn struct {
	*net.UnixConn
	peer  Peer
	leave func()
}

func (c *conn) Close() error {
	c.leave()
	return c.UnixConn.Close()
}

// Accept hands on what is within the bounds. What is not gets a 429 and is
// closed without a look at its request.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer, err := PeerOf(c)
		if err != nil {
			return c, nil // its requests are refused: nobody knows whose they are
		}
		if l.enter(peer.UID) {
			return &conn{UnixConn: c.(*net.UnixConn), peer: peer, leave: sync.OnceFunc(func() { l.leave(peer.UID) })}, nil
		}
		// The socket's buffer is empty and takes a reply at once; the deadline
		// is for the case that it does not.
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(tooManyConnections())
		c.Close()
	}
}

func (l *listener) enter(uid uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[uid] >= l.perUID || uid != 0 && l.sum >= l.all {
		return false
	}
	l.count(uid, 1)
	return true
}

func (l *listener) leave(uid uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(uid, -1)
}

// count needs mu.
func (l *listener) count(uid uint32, by int) {
	if l.open[uid] += by; l.open[uid] == 0 {
		delete(l.open, uid)
	}
	if uid != 0 {
		l.sum += by
	}
}

func tooManyConnections() []byte {
	p := ProblemOf(busy("connections", "this caller, or all together, hold too many connections"))
	// It holds constants only, so there is nothing that cannot be encoded.
	body, _ := json.Marshal(p)
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nRetry-After: %d\r\nConnection: close\r\n\r\n%s",
		p.Status, http.StatusText(p.Status), ProblemType, len(body), p.RetryAfter, body)
	return b.Bytes()
}
