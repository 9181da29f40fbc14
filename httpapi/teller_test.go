package httpapi

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

// sent is one event as a reader gets it.
type sent struct{ ID, Kind, Data string }

// readEvents reads a stream to its end, after section 9.2.6 of the HTML living
// standard but without its forgiveness.
func readEvents(t *testing.T, r io.Reader) (list []sent) {
	t.Helper()
	next := eventReader(t, r)
	for e, ok := next(); ok; e, ok = next() {
		list = append(list, e)
	}
	return list
}

// eventReader gives the events of a stream one by one; false at its end, or where
// it was cut off.
func eventReader(t *testing.T, r io.Reader) func() (sent, bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	return func() (e sent, ok bool) {
		for lines.Scan() {
			line := lines.Text()
			name, value, _ := strings.Cut(line, ": ")
			switch {
			case line == "" && e != sent{}:
				return e, true
			case line == "", line == ":": // behind a comment; a comment
			case name == "id" && e.ID == "":
				e.ID = value
			case name == "event" && e.Kind == "":
				e.Kind = value
			case name == "data" && e.Data == "":
				e.Data = value
			default:
				assert.Fail(t, "no line of an event", "%q", line)
			}
		}
		return e, false
	}
}

func kinds(list []sent) (all []string) {
	for _, e := range list {
		all = append(all, e.Kind)
	}
	return all
}

// teller is an executor that tells what it does and waits where it is told to.
type teller struct {
	events  []policy.Event
	release chan struct{} // nil: it does not wait
	err     error         // in place of a result
	ended   chan policy.Status
}

func newTeller(list ...policy.Event) *teller {
	return &teller{events: list, ended: make(chan policy.Status, 16)}
}

func (e *teller) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	var out policy.Result // it holds what was told: a job's events are told from it later
	for _, one := range e.events {
		if req.Watch != nil {
			req.Watch(one)
		}
		switch one.Kind {
		case policy.EventStdout:
			out.Stdout += string(one.Data)
		case policy.EventDenial:
			out.Denials = []policy.Denial{{Syscall: one.Syscall, Count: 1}}
		case policy.EventStarted, policy.EventStderr: // not in these results
		}
	}
	out.Stdout = strings.ToValidUTF8(out.Stdout, "\ufffd")
	status := policy.Succeeded
	if e.release != nil {
		select {
		case <-e.release:
		case <-ctx.Done():
			status = policy.Cancelled
		}
	}
	e.ended <- status
	if e.err != nil {
		return nil, e.err
	}
	out.Status, out.Termination.Reason = status, policy.ReasonCompleted
	if status == policy.Cancelled {
		out.Termination.Reason = policy.ReasonCancelled
	}
	return &out, nil
}

var (
	startedEvent = policy.Event{Kind: policy.EventStarted}
	deniedEvent  = policy.Event{Kind: policy.EventDenial, Syscall: "socket"}
)

func output(text string) policy.Event {
	return policy.Event{Kind: policy.EventStdout, Data: []byte(text)}
}
