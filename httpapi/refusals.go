package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// atOnce is how many connections are being refused at a time, and refusalPatience
// how long each of them may take over it, and each request that is answered before it
// was read.
const (
	atOnce          = 8
	refusalPatience = time.Second
)

// refusals are the connections that are told that there is no place for them.
//
// A client that has an answer before it has asked may take it for a fault of the
// connection, and so may one that is still sending when the connection ends (RFC 9112,
// section 9.6). So what it asks is awaited, and read to its end, but by nobody
// for whom others would have to wait: who comes when there are atOnce makes the
// first of them have his answer now.
type refusals struct {
	patience time.Duration
	mu       sync.Mutex
	queue    []*turned
}

// turned is a connection that is being turned away.
type turned struct {
	net.Conn
	gone chan struct{}
}

// refuse answers c, which end is to close. It returns before, but only when there are
// atOnce of them at most.
func (r *refusals) refuse(c net.Conn, end func()) {
	// Both are set here and never later: after hurry the first is over for good.
	_ = c.SetReadDeadline(time.Now().Add(r.patience))
	_ = c.SetWriteDeadline(time.Now().Add(2 * r.patience)) // the socket's buffer is empty and takes it at once
	one := &turned{c, make(chan struct{})}
	if first := r.enter(one); first != nil {
		first.hurry()
		<-first.gone
	}
	go func() {
		one.tell()
		end()
		r.leave(one)
		close(one.gone)
	}()
}

func (r *refusals) enter(one *turned) (first *turned) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) >= atOnce {
		first = r.queue[0]
	}
	r.queue = append(r.queue, one)
	return first
}

func (r *refusals) leave(one *turned) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = slices.DeleteFunc(r.queue, func(o *turned) bool { return o == one })
}

// hurry makes all of them have their answers now.
func (r *refusals) hurry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.queue {
		one.hurry()
	}
}

func (r *turned) hurry() { _ = r.SetReadDeadline(time.Unix(1, 0)) }

// tell fails where the other side has gone, which is as good.
func (r *turned) tell() {
	var begun [1]byte
	_, _ = r.Read(begun[:])
	if _, err := r.Write(tooManyConnections()); err != nil {
		return
	}
	if half, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.CopyN(io.Discard, r, maxUnread)
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
