package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

const (
	// The daemon says something at least every 15 s; three of these missed, and
	// the connection is taken for dead.
	idle = 45 * time.Second
)

// Event is one thing that happened to a run: queued, started, stdout, stderr,
// denial, result, done. Data is a JSON object, such as {"text": ...} of stdout.
type Event struct {
	ID   string // where Events goes on: "<attempt>.<n>"
	Kind string
	Data json.RawMessage
}

// Text is what stdout and stderr tell.
func (e Event) Text() string {
	var data struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(e.Data, &data) // it is an object, see decode
	return data.Text
}

// Heard gives the event as a run of this process would tell it, if it would.
func (e Event) Heard() (policy.Event, bool) {
	switch kind := policy.EventKind(e.Kind); kind {
	case policy.EventStdout, policy.EventStderr:
		return policy.Event{Kind: kind, Data: []byte(e.Text())}, true
	case policy.EventStarted:
		return policy.Event{Kind: kind}, true
	case policy.EventDenial:
		var data struct {
			Syscall string `json:"syscall"`
		}
		_ = json.Unmarshal(e.Data, &data)
		return policy.Event{Kind: kind, Syscall: data.Syscall}, true
	}
	return policy.Event{}, false
}

// ExecuteStream is Execute, and tells hear of each event as it comes, from one
// goroutine. An error of hear's ends the run and is returned.
func (c *Client) ExecuteStream(ctx context.Context, req policy.Request, hear func(Event) error) (*policy.Result, error) {
	body, err := encode(req)
	if err != nil {
		return nil, err
	}
	var result *policy.Result
	var heard error
	done, err := c.stream(ctx, http.MethodPost, runPath+"?stream=1", nil, body, func(e Event) error {
		if e.Kind == "result" {
			result = new(policy.Result)
			if err := json.Unmarshal(e.Data, result); err != nil {
				return &policy.Error{Code: policy.CodeInternal, Message: "the daemon's result is no result", Err: err}
			}
		}
		heard = hear(e)
		return heard
	})
	switch {
	case heard != nil:
		return nil, heard
	case ctx.Err() != nil && !done:
		return cancelled(ctx, "what it had not told until then went with the connection"), nil
	case err != nil:
		return nil, err
	case !done || result == nil:
		return nil, c.unreachable(io.ErrUnexpectedEOF)
	}
	return result, nil
}

// Events tells hear of each event of a job, from its start or from behind the
// event after, up to done. A connection that breaks is made again where it left
// off; the error comes after several breaks in a row, among which a daemon that
// says when to come back does not count, or when ctx is done. A new attempt, which
// started tells of, begins its output anew. No verdict is an error, as of Execute.
func (c *Client) Events(ctx context.Context, id, after string, hear func(Event) error) error {
	for wait := (backoff{}); ; {
		header := http.Header{}
		if after != "" {
			header["Last-Event-ID"] = []string{after}
		}
		if err := sendable(header); err != nil {
			return err
		}
		var heard error
		done, err := c.stream(ctx, http.MethodGet, jobPath(id)+"/events", header, nil, func(e Event) error {
			// One that started again may begin at the start; a verdict is told
			// whatever its number is.
			if e.Kind != "result" && e.Kind != "done" && told(e.ID, after) {
				return nil
			}
			wait.breaks = 0
			if e.ID != "" {
				after = e.ID
			}
			heard = hear(e)
			return heard
		})
		if done || heard != nil {
			return heard
		}
		if err == nil {
			err = c.unreachable(io.ErrUnexpectedEOF)
		}
		if err := wait.after(ctx, err); err != nil {
			return err
		}
	}
}

// told says whether an event of this id has come, going by the last.
func told(id, last string) bool {
	attempt, n, ok := numbers(id)
	lastAttempt, lastN, known := numbers(last)
	return ok && known && (attempt < lastAttempt || attempt == lastAttempt && n <= lastN)
}

func numbers(id string) (attempt, n uint64, ok bool) {
	a, b, _ := strings.Cut(id, ".")
	attempt, err := strconv.ParseUint(a, 10, 64)
	if err == nil {
		n, err = strconv.ParseUint(b, 10, 64)
	}
	return attempt, n, err == nil
}

// stream sends a request and tells hear of the events of its reply; done says
// whether the last was done. An event error is the error it holds.
func (c *Client) stream(ctx context.Context, method, path string, header http.Header, body []byte, hear func(Event) error) (done bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(idle, cancel)
	defer watchdog.Stop()
	reply, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return false, err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		text, err := c.readAll(reply)
		if err != nil {
			return false, err
		}
		return false, refusal(reply, text)
	}
	if media, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type")); media != "text/event-stream" {
		return false, &policy.Error{Code: policy.CodeInternal, Message: "the daemon's reply is no stream of events"}
	}
	in := newEventReader(&watched{reply.Body, watchdog})
	for {
		e, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			var ours *policy.Error
			if errors.As(err, &ours) {
				return false, err
			}
			return false, c.unreachable(err)
		case e.Kind == "error":
			var p httpapi.Problem
			_ = json.Unmarshal(e.Data, &p) // what does not parse is an error all the same
			return false, p.Err(p.Status)
		}
		if err := hear(e); err != nil {
			return false, err
		}
		if e.Kind == "done" {
			return true, nil
		}
	}
}

// watched keeps the watchdog quiet while something comes.
type watched struct {
	io.Reader
	watchdog *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.watchdog.Reset(idle)
	return n, err
}
