package link

import (
	"errors"
	"net"
	"sync"
	"time"
)

// ErrNotRead means that the other side does not take what is meant for it.
var ErrNotRead = errors.New("link: the other side does not read")

// outbox writes frames whole and in order. Whoever posts one waits for nobody;
// who delivers writes what is there, unless somebody does already. What waits is
// bounded in bytes, and each write in time, past which the connection is over.
type outbox struct {
	conn    net.Conn
	most    int
	timeout time.Duration
	fail    func(error) // hears the first failure

	mu      sync.Mutex
	queue   net.Buffers
	bytes   int
	writing bool
	failed  bool
}

// post leaves the writing to a goroutine.
func (o *outbox) post(frame []byte) {
	if o.put(frame) {
		go o.write()
	}
}

// deliver writes in this goroutine where nobody else does.
func (o *outbox) deliver(frame []byte) {
	if o.put(frame) {
		o.write()
	}
}

// put says whether the caller is to write.
func (o *outbox) put(frame []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed {
		return false
	}
	if o.bytes+len(frame) > o.most {
		o.failed = true
		go o.fail(ErrNotRead)
		return false
	}
	o.queue = append(o.queue, frame)
	o.bytes += len(frame)
	first := !o.writing
	o.writing = true
	return first
}

func (o *outbox) write() {
	for {
		o.mu.Lock()
		batch, size := o.queue, o.bytes
		o.queue = nil
		if len(batch) == 0 || o.failed {
			o.writing = false
			o.mu.Unlock()
			return
		}
		o.mu.Unlock()
		err := o.conn.SetWriteDeadline(time.Now().Add(o.timeout))
		if err == nil {
			_, err = batch.WriteTo(o.conn)
		}
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			err = ErrNotRead
		}
		o.mu.Lock()
		o.bytes -= size
		if err != nil && !o.failed {
			o.failed = true
			go o.fail(err)
		}
		o.mu.Unlock()
	}
}
