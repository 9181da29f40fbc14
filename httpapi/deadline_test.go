package httpapi

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestARunOutlivesTheReadDeadline(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, BodyTimeout: 50 * time.Millisecond})
	got := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	time.Sleep(200 * time.Millisecond) // the time is the subject: it must pass the deadline
	close(h.release)
	var result policy.Result
	decode(t, await(t, "the reply", got), &result)
	assert.Equal(t, policy.Succeeded, result.Status, "an expired deadline must not look like a caller that hung up")
}

// The server as a whole has a read deadline as well; here it is 5s and a bit.
func TestALongPollOutlivesTheReadDeadline(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, BodyTimeout: time.Millisecond, WaitLimit: time.Millisecond})
	var job Submitted
	decode(t, d.do("POST", asyncPath, hello), &job)
	await(t, "the job", h.started)
	poll := d.later("GET", jobPrefix+job.JobID+"?wait=20s", "")
	time.Sleep(headerTimeout + 500*time.Millisecond) // the time is the subject: it must pass the deadline
	close(h.release)
	var got Job
	decode(t, await(t, "the reply", poll), &got)
	assert.Equal(t, policy.Succeeded, got.Status)
}

func TestABodyThatStallsIsRefusedAndFreesItsSlot(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo), Slots: 1, BodyTimeout: 100 * time.Millisecond})
	c, err := net.Dial("unix", d.path)
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", runPath)
	require.NoError(t, err)
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	assert.Equal(t, 400, r.StatusCode)
	assert.Equal(t, 200, d.do("POST", runPath, hello).StatusCode)
}

// net/http awaits what is left of a body before it sends what it was given to send.
func TestABodyThatNeverComesKeepsNoAnswerBack(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, BodyTimeout: 100 * time.Millisecond, ReplyTimeout: time.Second})
	var job Submitted
	decode(t, d.do("POST", asyncPath, hello), &job)
	await(t, "the job", h.started)
	for _, row := range []struct {
		name, line, header string
		status             int
	}{
		{"a health check", "GET /healthz", "Content-Length: 10", 200},
		{"one in chunks", "GET /healthz", "Transfer-Encoding: chunked", 200},
		{"no such path", "POST /v1/nothing", "Content-Length: 100", 404},
		{"a wrong query", "POST " + runPath + "?x=1", "Content-Type: application/json\r\nContent-Length: 100", 400},
		{"a wrong type", "POST " + runPath, "Content-Type: text/plain\r\nContent-Length: 100", 415},
		{"more than is awaited", "POST " + runPath, "Content-Type: text/plain\r\nContent-Length: 1000000", 415},
		{"a cancel", "DELETE " + jobPrefix + job.JobID, "Content-Length: 100", 200},
		{"a stream of events", "GET " + jobPrefix + job.JobID + "/events", "Content-Length: 100", 200},
		{"a body that is read", "POST " + runPath, "Content-Type: application/json\r\nContent-Length: 100", 400},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, in := wire(t, d)
			require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
			_, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", row.line, row.header)
			require.NoError(t, err)
			r, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			assert.Equal(t, row.status, r.StatusCode)
		})
	}
}
