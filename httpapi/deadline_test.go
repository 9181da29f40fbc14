package httpapi

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
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
	t.Parallel()
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
	t.Parallel()
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

// Most clients send first and read then.
func TestARefusedCallerCanSendToTheEnd(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: 50 * time.Millisecond, ConnectionsPerUID: 100, patience: testPatience})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	for _, row := range []struct {
		name, line, media string
		status            int
	}{
		{"no such path", "POST /v1/nothing", "application/json", 404},
		{"a wrong method", "DELETE " + runPath, "application/json", 405},
		{"a wrong query", "POST " + runPath + "?x=1", "application/json", 400},
		{"a wrong type", "POST " + asyncPath, "text/plain", 415},
		{"no slot", "POST " + runPath, "application/json", 429},
	} {
		for _, size := range []int{300 << 10, 3 << 20, maxBody + 1, 3 * maxBody} {
			t.Run(fmt.Sprintf("%s, %d bytes", row.name, size), func(t *testing.T) {
				c, in := wire(t, d)
				require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
				_, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", row.line, row.media, size)
				require.NoError(t, err)
				_, err = c.Write(make([]byte, size))
				require.NoError(t, err, "the connection ends before all is sent")
				r, err := http.ReadResponse(in, nil)
				require.NoError(t, err)
				assert.Equal(t, row.status, r.StatusCode)
			})
		}
	}
	close(h.release)
	assert.Equal(t, 200, await(t, "the run's reply", running).StatusCode)
	r := d.do("POST", runPath, strings.Repeat("x", maxBody+1))
	assert.Equal(t, 413, r.StatusCode, "announced")
	c, in := wire(t, d)
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 2*maxBody, strings.Repeat(" ", 2*maxBody))
	_, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%s0\r\n\r\n", runPath, chunk)
	require.NoError(t, err)
	got, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	assert.Equal(t, 413, got.StatusCode, "found while it came")
}
