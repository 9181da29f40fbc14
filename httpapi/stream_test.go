package httpapi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

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
