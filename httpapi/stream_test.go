package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	for _, one := range e.events {
		if req.Watch != nil {
			req.Watch(one)
		}
	}
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
	return &policy.Result{Status: status}, nil
}

var (
	startedEvent = policy.Event{Kind: policy.EventStarted}
	deniedEvent  = policy.Event{Kind: policy.EventDenial, Syscall: "socket"}
)

func output(text string) policy.Event {
	return policy.Event{Kind: policy.EventStdout, Data: []byte(text)}
}

func TestAStreamTellsARunInItsOrder(t *testing.T) {
	d := start(t, Config{Executor: newTeller(startedEvent, output("a\nb\r\n\u2028</script>\xff"), deniedEvent)})
	want := []string{"started", "stdout", "denial", "result", "done"}
	text := `{"text":"a\nb\r\n\u2028</script>\ufffd"}`

	sync := d.do("POST", runPath+"?stream=1", hello)
	require.Equal(t, 200, sync.StatusCode, sync.body)
	list := readEvents(t, strings.NewReader(sync.body))
	assert.Equal(t, want, kinds(list))
	assert.JSONEq(t, text, list[1].Data)
	assert.JSONEq(t, `{"status":"succeeded"}`, list[4].Data)

	id := submit(d, hello).JobID
	later := d.do("GET", jobPrefix+id+"/events", "")
	require.Equal(t, 200, later.StatusCode, later.body)
	list = readEvents(t, strings.NewReader(later.body))
	assert.Equal(t, append([]string{"queued"}, want...), kinds(list))
	assert.JSONEq(t, text, list[2].Data)
	assert.Contains(t, list[0].Data, id)
	for i, e := range list {
		assert.Equal(t, fmt.Sprintf("1.%d", i+1), e.ID)
	}
	var job Job
	decode(t, d.do("GET", jobPrefix+id, ""), &job)
	encoded, err := json.Marshal(job.Result)
	require.NoError(t, err)
	assert.JSONEq(t, string(encoded), list[4].Data, "the very same result")

	for _, r := range []reply{sync, later} {
		assert.Equal(t, "text/event-stream", r.Header.Get("Content-Type"))
		assert.Equal(t, "no", r.Header.Get("X-Accel-Buffering"))
		assert.Equal(t, "no-store, no-transform", r.Header.Get("Cache-Control"))
		assert.Empty(t, r.Header.Get("Content-Encoding"))
	}
}

func TestAFailureBeforeTheFirstEventIsAProblem(t *testing.T) {
	setup := &policy.Error{Code: policy.CodeSetup, Step: "pivot", Message: "m"}
	for _, row := range []struct {
		name   string
		e      *teller
		body   string
		status int
		kinds  []string
	}{
		{"a body that is refused", newTeller(startedEvent), "{", 400, nil},
		{"a jail that cannot be made", &teller{err: setup, ended: make(chan policy.Status, 16)}, hello, 503, nil},
		{"a failure behind the start is an event",
			&teller{err: setup, events: []policy.Event{startedEvent}, ended: make(chan policy.Status, 16)}, hello, 200, []string{"started", "error", "done"}},
		{"a verdict without a start is a stream", newTeller(), hello, 200, []string{"result", "done"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := start(t, Config{Executor: row.e, Slots: 1})
			for range 2 { // twice: the slot must have come back
				r := d.do("POST", runPath+"?stream=1", row.body, "X-Request-Id", "abc")
				require.Equal(t, row.status, r.StatusCode, r.body)
				if row.status != 200 {
					assert.Equal(t, "abc", r.problem(t).RequestID)
					continue
				}
				list := readEvents(t, strings.NewReader(r.body))
				assert.Equal(t, row.kinds, kinds(list))
				if row.e.err != nil {
					var p Problem
					require.NoError(t, json.Unmarshal([]byte(list[1].Data), &p))
					assert.Equal(t, policy.CodeSetup, p.Code)
					assert.Equal(t, "abc", p.RequestID)
					assert.JSONEq(t, `{"status":"error"}`, list[2].Data)
				}
			}
		})
	}
}

func TestEventsComeWhileTheProgramRuns(t *testing.T) {
	e := newTeller(startedEvent, output("a"))
	e.release = make(chan struct{})
	d := start(t, Config{Executor: e, Heartbeat: time.Millisecond})
	var r *http.Response
	for _, open := range []func() (*http.Request, error){
		func() (*http.Request, error) {
			return http.NewRequest("POST", "http://x"+runPath+"?stream=1", strings.NewReader(hello))
		},
		func() (*http.Request, error) {
			return http.NewRequest("GET", "http://x"+jobPrefix+submit(d, hello).JobID+"/events", nil)
		},
	} {
		req, err := open()
		require.NoError(t, err)
		req.Header.Set("Content-Type", jsonType)
		r, err = d.client.Do(req)
		require.NoError(t, err)
		defer r.Body.Close()
		next := eventReader(t, r.Body)
		for kind := ""; kind != "stdout"; {
			e, ok := next()
			require.True(t, ok)
			kind = e.Kind
		}
		e.release <- struct{}{} // it has waited until we saw that
		for _, kind := range []string{"result", "done"} {
			e, ok := next()
			require.True(t, ok)
			assert.Equal(t, kind, e.Kind)
		}
		_, ok := next()
		assert.False(t, ok, "the stream must end behind done")
	}
}

func TestHeartbeatsAreComments(t *testing.T) {
	e := newTeller(startedEvent)
	e.release = make(chan struct{})
	d := start(t, Config{Executor: e, Heartbeat: time.Millisecond})
	req, err := http.NewRequest("GET", "http://x"+jobPrefix+submit(d, hello).JobID+"/events", nil)
	require.NoError(t, err)
	r, err := d.client.Do(req)
	require.NoError(t, err)
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	for beats := 0; beats < 3; {
		require.True(t, lines.Scan())
		if strings.HasPrefix(lines.Text(), ":") {
			beats++
		}
	}
	close(e.release)
}

func TestAReaderWhoComesBack(t *testing.T) {
	d := start(t, Config{Executor: newTeller(startedEvent, output("a"), deniedEvent)})
	events := jobPrefix + submit(d, hello).JobID + "/events"
	all := readEvents(t, strings.NewReader(d.do("GET", events, "").body))
	require.Equal(t, []string{"queued", "started", "stdout", "denial", "result", "done"}, kinds(all))
	for _, row := range []struct {
		name, last string
		status     int
		from       int
	}{
		{"who has seen nothing gets all", "", 200, 0},
		{"who has seen the first gets the rest", "1.1", 200, 1},
		{"who has seen the denial gets the verdict", "1.4", 200, 4},
		{"who has seen the result gets the end", "1.5", 200, 5},
		{"who has seen the end need not come again", "1.6", 204, 6},
		{"who has seen what there was not gets all", "1.7", 200, 0},
		{"who has seen another attempt gets all", "2.1", 200, 0},
		{"an id that is none is refused", "1", 400, 0},
		{"an id with a sign is refused", "+1.1", 400, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := d.do("GET", events, "", "Last-Event-ID", row.last)
			require.Equal(t, row.status, r.StatusCode, r.body)
			switch row.status {
			case 200:
				assert.Equal(t, all[row.from:], readEvents(t, strings.NewReader(r.body)))
			case 400:
				assert.Equal(t, "Last-Event-ID", r.problem(t).Field)
			}
		})
	}
}

func TestTheHeadOfAStreamIsNoStream(t *testing.T) {
	e := newTeller(startedEvent)
	e.release = make(chan struct{})
	d := start(t, Config{Executor: e})
	r := d.do("HEAD", jobPrefix+submit(d, hello).JobID+"/events", "")
	assert.Equal(t, 200, r.StatusCode)
	assert.Equal(t, "text/event-stream", r.Header.Get("Content-Type"))
	assert.Empty(t, r.body)
	assert.Equal(t, 404, d.do("HEAD", jobPrefix+"x/events", "").StatusCode)
	close(e.release)
}

func TestARunWhoseReaderLeavesIsKilled(t *testing.T) {
	e := newTeller(startedEvent)
	e.release = make(chan struct{})
	d := start(t, Config{Executor: e, Slots: 1})
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", "http://x"+runPath+"?stream=1", strings.NewReader(hello))
	require.NoError(t, err)
	req.Header.Set("Content-Type", jsonType)
	r, err := d.client.Do(req)
	require.NoError(t, err)
	defer r.Body.Close()
	first, ok := eventReader(t, r.Body)()
	require.True(t, ok)
	require.Equal(t, "started", first.Kind)
	leave()
	assert.Equal(t, policy.Cancelled, await(t, "the end of the run", e.ended))
	close(e.release)
	assert.Equal(t, 200, d.do("POST", runPath, hello).StatusCode, "the slot must have come back")
}

// More is told than a socket holds, so whoever reads nothing holds up the writer.
func TestAReaderWhoDoesNotReadIsDropped(t *testing.T) {
	full := make([]policy.Event, 0, 17)
	for range 16 {
		full = append(full, output(strings.Repeat("x", 64<<10)), deniedEvent)
	}
	for _, row := range []struct {
		name string
		open func(*daemon) string
		run  policy.Status
	}{
		{"a job goes on without him", func(d *daemon) string {
			return fmt.Sprintf("GET %s/events HTTP/1.1\r\nHost: x\r\n\r\n", jobPrefix+submit(d, hello).JobID)
		}, policy.Succeeded},
		{"a run that answers him alone is killed", func(*daemon) string {
			return fmt.Sprintf("POST %s?stream=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", runPath, len(hello), hello)
		}, policy.Cancelled},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := newTeller(append([]policy.Event{startedEvent}, full...)...)
			e.release = make(chan struct{})
			d := start(t, Config{Executor: e, ReplyTimeout: 50 * time.Millisecond})
			c, err := net.Dial("unix", d.path)
			require.NoError(t, err)
			defer c.Close()
			_, err = io.WriteString(c, row.open(d))
			require.NoError(t, err)
			require.Eventually(t, func() bool { return strings.Contains(d.log.String(), "broken off") }, 10*time.Second, time.Millisecond)
			if row.run == policy.Succeeded {
				close(e.release)
			}
			assert.Equal(t, row.run, await(t, "the end of the run", e.ended))
			require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
			text, err := io.ReadAll(c)
			assert.NoError(t, err, "the connection must be closed")
			assert.NotContains(t, string(text), "event: done")
			assert.NotContains(t, string(text), "\r\n0\r\n", "what was cut off must not look whole")
			if row.run != policy.Succeeded {
				close(e.release)
			}
		})
	}
}

// A server in front of the handlers may have time-outs of its own, shorter than a
// poll, a stream or a run.
func TestWhatLastsOutlivesTheServersTimeouts(t *testing.T) {
	e := newTeller(startedEvent)
	e.release = make(chan struct{})
	cfg := Config{Executor: e, Logger: discard, Heartbeat: 20 * time.Millisecond, JobSlots: 2}
	cfg.Jobs = keep(t, cfg)
	s, err := New(cfg)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(s)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 50*time.Millisecond, 50*time.Millisecond
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, peerKey{}, Peer{UID: 1000})
	}
	server.Start()
	defer server.Close()
	defer func() { assert.NoError(t, s.stop()) }()
	get := func(method, path, body string) <-chan string {
		out := make(chan string, 1)
		req, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", jsonType)
		go func() {
			defer close(out)
			r, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			defer r.Body.Close()
			if text, err := io.ReadAll(r.Body); err == nil {
				out <- string(text)
			}
		}()
		return out
	}
	var job Submitted
	require.NoError(t, json.Unmarshal([]byte(await(t, "the job", get("POST", asyncPath, hello))), &job))
	replies := map[string]<-chan string{
		"a poll":                get("GET", jobPrefix+job.JobID+"?wait=30s", ""),
		"a job's events":        get("GET", jobPrefix+job.JobID+"/events", ""),
		"the events of a run":   get("POST", runPath+"?stream=1", hello),
		"the result of another": get("POST", runPath, hello),
	}
	time.Sleep(300 * time.Millisecond) // the time is the subject: it must pass the time-outs
	close(e.release)
	for name, c := range replies {
		assert.Contains(t, await(t, name, c), `"status":"succeeded"`, name)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAStreamEndsWithTheDaemon(t *testing.T) {
	e := newTeller(startedEvent)
	e.release = make(chan struct{})
	d := start(t, Config{Executor: e, DrainTimeout: 50 * time.Millisecond, JobSlots: 1})
	submit(d, hello)
	queued := submit(d, hello).JobID
	stream := d.later("GET", jobPrefix+queued+"/events", "")
	require.Eventually(t, func() bool { return d.do("HEAD", jobPrefix+queued+"/events", "").StatusCode == 200 }, 5*time.Second, time.Millisecond)
	d.stop()
	r := await(t, "the end of the stream", stream)
	if r.StatusCode == 200 {
		assert.NotContains(t, kinds(readEvents(t, strings.NewReader(r.body))), "done", "there is no verdict")
	} else {
		assert.Equal(t, 503, r.StatusCode) // it came too late
	}
	assert.True(t, errors.Is(await(t, "Serve", d.served), context.DeadlineExceeded))
	d.served <- nil // for the clean-up
}
