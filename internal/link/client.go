package link

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"safe-exec/policy"
)

// Report is what the broker found of its own confinement, before anybody could
// tell it anything.
type Report struct {
	Failed string   // the first step that failed, with the kernel's answer; empty if none
	Tried  []string // what it tried, and the kernel refused
}

// Client is the broker's end. It implements policy.Executor and policy.Checker.
// When the connection ends, every call fails with CodeUnavailable.
type Client struct {
	conn  net.Conn
	in    *bufio.Reader
	drain chan struct{}
	done  chan struct{}

	layers layersMemo

	writing sync.Mutex // taken before mu: ids rise on the wire
	last    uint64     // highest id so far

	mu    sync.Mutex
	calls map[uint64]*call
	ended error
}

// call is a request that has no answer yet.
type call struct {
	want   kind
	watch  func(policy.Event)
	answer chan answer // one
}

type answer struct {
	payload []byte
	err     error
}

// clientTimeout bounds a write to the executor, which always reads.
const clientTimeout = 30 * time.Second

// NewClient makes the broker's end of a connection, which it takes over.
func NewClient(conn net.Conn) *Client {
	return &Client{
		conn: conn, in: bufio.NewReaderSize(conn, firstPiece), drain: make(chan struct{}), done: make(chan struct{}),
		calls: make(map[uint64]*call),
	}
}

// Hello waits for the filter that the executor sends first.
func (c *Client) Hello() (filter []byte, err error) {
	payload, err := c.expect(kindHello)
	if err != nil {
		return nil, err
	}
	d := &decoder{buf: payload}
	if v := d.number(); v != Version {
		return nil, fmt.Errorf("%w: %d, and this is %d", ErrVersion, v, Version)
	}
	filter = d.bytes()
	return filter, d.done()
}

// Report tells how the confinement went, and waits for the configuration.
func (c *Client) Report(r Report) (config []byte, err error) {
	e := newFrame(kindReport, 1024)
	e.number(Version)
	e.text(r.Failed)
	e.texts(r.Tried)
	if err := c.write(e.frame()); err != nil {
		return nil, err
	}
	return c.expect(kindConfig)
}

func (c *Client) expect(want kind) ([]byte, error) {
	k, payload, err := readFrame(c.in, fromExecutor)
	if err == nil && k != want {
		err = fmt.Errorf("%w: kind %q in place of %q", ErrOrder, rune(k), rune(want))
	}
	return payload, err
}

// Ready says that callers are served from now on.
func (c *Client) Ready() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.write(newFrame(kindReady, 0).frame())
}

// Draining is closed when the executor wants the broker to finish.
func (c *Client) Draining() <-chan struct{} { return c.drain }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Close ends the connection; Run returns.
func (c *Client) Close() error { return c.conn.Close() }

// Run takes the executor's frames until the connection ends, which is nil only if
// it ended between two of them.
func (c *Client) Run() error {
	err := c.read()
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		err = nil
	}
	c.conn.Close()
	c.mu.Lock()
	c.ended = errors.Join(errors.New("the link has ended"), err)
	calls := c.calls
	c.calls = nil
	c.mu.Unlock()
	for _, call := range calls {
		call.answer <- answer{err: unavailable(c.ended)}
	}
	close(c.done)
	return err
}

func unavailable(cause error) *policy.Error {
	return &policy.Error{Code: policy.CodeUnavailable, Step: "executor", Message: "what runs programs is being started again", Err: cause}
}

func (c *Client) read() error {
	draining := false
	for {
		k, payload, err := readFrame(c.in, fromExecutor)
		if err != nil {
			return err
		}
		switch k {
		case kindHello, kindConfig:
			return fmt.Errorf("%w: kind %q a second time", ErrOrder, rune(k))
		case kindDrain:
			if !draining {
				draining = true
				close(c.drain)
			}
		default:
			if err := c.take(k, payload); err != nil {
				return err
			}
		}
	}
}

// take hands a frame to the call that it belongs to.
func (c *Client) take(k kind, payload []byte) error {
	d := &decoder{buf: payload}
	id := d.long()
	if d.err != nil {
		return d.err
	}
	c.mu.Lock()
	call := c.calls[id]
	if call != nil && k != kindEvent {
		delete(c.calls, id)
	}
	c.mu.Unlock()
	switch {
	case call == nil:
		return fmt.Errorf("%w: %d", ErrID, id)
	case k == kindEvent:
		event, err := decodeEvent(d.buf)
		if err != nil {
			return err
		}
		if call.watch == nil {
			return fmt.Errorf("%w: an event that nobody asked for", ErrOrder)
		}
		call.watch(event)
	case k == kindError:
		err := decodeError(d.buf)
		call.answer <- answer{err: err}
	case k != call.want:
		call.answer <- answer{err: unavailable(ErrOrder)}
		return fmt.Errorf("%w: kind %q in place of %q", ErrOrder, rune(k), rune(call.want))
	default:
		call.answer <- answer{payload: d.buf}
	}
	return nil
}

// write needs writing, once calls may be made.
func (c *Client) write(frame []byte) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(clientTimeout)); err != nil {
		return err
	}
	_, err := c.conn.Write(frame)
	return err
}
