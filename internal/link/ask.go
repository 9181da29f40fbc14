package link

import (
	"context"
	"encoding/json"

	"safe-exec/policy"
)

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
	if k == kindDescribe || k == kindResolve { // its answer, if it comes, has room to lie
		return nil, unavailable(ctx.Err())
	}
	c.cancel(id)
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
