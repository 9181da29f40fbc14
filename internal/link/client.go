package link

import (
	"bufio"
	"context"
	"encoding/json"
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
	if err == io.EOF || errors.Is(err, net.ErrClosed) {
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
	return &policy.Error{Code: policy.CodeUnavailable, Message: "what runs programs is being started again", Err: cause}
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
			continue
		}
		if err := c.take(k, payload); err != nil {
			return err
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

// ask sends a request and waits for its answer. When ctx ends it asks for the
// run's end, and still waits: the answer says what became of it.
func (c *Client) ask(ctx context.Context, k, want kind, req *policy.Request) ([]byte, error) {
	room := maxID
	if req != nil {
		if room += size(*req); room > maxRequest || longest(*req) > maxList {
			return nil, &policy.Error{Code: policy.CodeTooLarge, Message: "the request as a whole is larger than any that could run"}
		}
	}
	pending := &call{want: want, answer: make(chan answer, 1)}
	e := newFrame(k, room)
	e.long(0)
	if k == kindExecute {
		pending.watch = req.Watch
		e.bit(pending.watch != nil)
	}
	if req != nil {
		e.request(*req)
	}
	frame := e.frame()

	id, err := c.send(frame, pending)
	if err != nil {
		return nil, err
	}

	select {
	case a := <-pending.answer:
		return a.payload, a.err
	case <-ctx.Done():
	}
	if k != kindDescribe && k != kindResolve {
		c.cancel(id)
	}
	a := <-pending.answer
	return a.payload, a.err
}

// send gives the frame an id and sends it. That the connection broke is told by
// the call's answer.
func (c *Client) send(frame []byte, call *call) (id uint64, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	if c.ended != nil {
		c.mu.Unlock()
		return 0, unavailable(c.ended)
	}
	c.last++
	setID(frame, c.last)
	c.calls[c.last] = call
	c.mu.Unlock()
	if err := c.write(frame); err != nil { // half a frame may have gone out
		c.conn.Close()
	}
	return c.last, nil
}

func (c *Client) cancel(id uint64) {
	e := newFrame(kindCancel, maxID)
	e.long(id)
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.write(e.frame()); err != nil {
		c.conn.Close()
	}
}

// Execute implements policy.Executor.
func (c *Client) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	payload, err := c.ask(ctx, kindExecute, kindResult, &req)
	if err != nil {
		return nil, err
	}
	result, err := decodeResult(payload, &c.layers)
	if err != nil {
		return nil, &policy.Error{Code: policy.CodeInternal, Err: err}
	}
	return result, nil
}

// CheckProgram implements policy.Checker.
func (c *Client) CheckProgram(ctx context.Context, req policy.Request) (*policy.CheckResult, error) {
	var checked policy.CheckResult
	if err := c.askJSON(ctx, kindCheck, kindChecked, &req, &checked); err != nil {
		return nil, err
	}
	return &checked, nil
}

// Resolve says what Execute would refuse the request for, without running it.
func (c *Client) Resolve(ctx context.Context, req policy.Request) error {
	_, err := c.ask(ctx, kindResolve, kindResolved, &req)
	return err
}

// Describe asks the executor about itself; into is what ServerConfig.Describe
// gives there.
func (c *Client) Describe(ctx context.Context, into any) error {
	return c.askJSON(ctx, kindDescribe, kindDescription, nil, into)
}

func (c *Client) askJSON(ctx context.Context, k, want kind, req *policy.Request, into any) error {
	payload, err := c.ask(ctx, k, want, req)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return &policy.Error{Code: policy.CodeInternal, Err: err}
	}
	return nil
}
