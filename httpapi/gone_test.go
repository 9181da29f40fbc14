package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// half sends a request, closes the sending side of its connection as nc -N does, and
// reads the answer.
func half(t *testing.T, d *daemon, method, path, body string, meanwhile func()) reply {
	t.Helper()
	c, in := wire(t, d)
	require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, len(body), body)
	require.NoError(t, err)
	meanwhile()
	require.NoError(t, c.(*net.UnixConn).CloseWrite())
	return hear(t, in)
}

// Whoever closes only his sending side counts as gone, since net/http cannot tell; but
// nothing says then that the daemon cannot work, or that a program would not run.
func TestHalfAConnectionIsNone(t *testing.T) {
	h := newHeld()
	checks := make(chan struct{}, 8)
	checker := checkerFunc(func(ctx context.Context, _ policy.Request) (*policy.CheckResult, error) {
		checks <- struct{}{}
		<-ctx.Done()
		return &policy.CheckResult{Termination: policy.Termination{Reason: policy.ReasonCancelled}}, nil
	})
	d := start(t, Config{Executor: h, Checker: checker, Slots: 1, Waiting: 2, WaitLimit: time.Minute})
	goes := func() { await(t, "the run", h.started) }

	r := half(t, d, "POST", runPath, hello, goes)
	require.Equal(t, 200, r.StatusCode, r.body)
	var result policy.Result
	decode(t, r, &result)
	assert.Equal(t, policy.Cancelled, result.Status)

	for name, row := range map[string]struct {
		query     string
		meanwhile func()
	}{
		"a stream": {"?stream=1", goes},
		"a check":  {"?dry_run=1", func() { await(t, "the check", checks) }},
	} {
		r := half(t, d, "POST", runPath+row.query, hello, row.meanwhile)
		require.Equal(t, 400, r.StatusCode, "%s: %s", name, r.body)
		assert.Contains(t, r.problem(t).Detail, "hanging up", name)
	}

	submitted := half(t, d, "POST", asyncPath, hello, func() {})
	require.Equal(t, 202, submitted.StatusCode, "a whole request is a job: %s", submitted.body)
	var job Submitted
	decode(t, submitted, &job)
	goes()
	for name, path := range map[string]string{"a wait": "?wait=20s", "events": "/events"} {
		r := half(t, d, "GET", jobPrefix+job.JobID+path, "", func() {})
		if r.StatusCode == 400 { // it was gone before the store was asked
			assert.Contains(t, r.problem(t).Detail, "hanging up", name)
			continue
		}
		require.Equal(t, 200, r.StatusCode, "%s: %s", name, r.body)
		assert.NotContains(t, r.body, "done", "%s: as it stands, at once", name)
	}

	running := d.later("POST", runPath, hello)
	goes()
	r = half(t, d, "POST", runPath, "", func() { waits(t, d.server.runs, 1) })
	assert.Equal(t, 400, r.StatusCode, "one who waits for a slot: %s", r.body)
	close(h.release)
	assert.Equal(t, 200, await(t, "the run's reply", running).StatusCode)
}

// What the daemon breaks off itself, because it ends, is not put down to the caller.
func TestADrainingDaemonBlamesNobody(t *testing.T) {
	checks := make(chan struct{}, 1)
	d := start(t, Config{Executor: executorFunc(echo), DrainTimeout: time.Millisecond, Checker: checkerFunc(func(ctx context.Context, _ policy.Request) (*policy.CheckResult, error) {
		checks <- struct{}{}
		<-ctx.Done()
		return &policy.CheckResult{Termination: policy.Termination{Reason: policy.ReasonCancelled}}, nil
	})})
	got := d.later("POST", runPath+"?dry_run=1", hello)
	await(t, "the check", checks)
	d.stop()
	r := await(t, "the reply", got)
	assert.Equal(t, 503, r.StatusCode)
	assert.Contains(t, r.problem(t).Detail, "shutting down")
}

// What net/http answers by itself is no problem document, as docs/api.md says, and over
// TCP it is the same with a token and without one, on any path and with any Host: it
// tells a stranger nothing, and has him closed.
func TestAnswersOfTheHTTPLibraryTellNothing(t *testing.T) {
	secret, token := NewToken("ci")
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}})
	good := "Authorization: Bearer " + secret + "\r\n"
	for _, row := range []struct {
		name, header string
		status       int
		body         string
	}{
		{"an expectation that there is not", "Expect: the-unexpected\r\n", 417, ""},
		{"a coding that there is not", "Transfer-Encoding: gzip\r\n", 501, "Unsupported transfer encoding"},
		{"a header that is none", "a b\r\n", 400, "400 Bad Request"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, path := range []string{"/healthz", "/v1/jobs/a", "/nothing"} {
				for _, who := range []string{"Host: localhost\r\n", "Host: localhost\r\n" + good, "Host: evil.example\r\nOrigin: null\r\n"} {
					c, err := net.Dial("tcp", address)
					require.NoError(t, err)
					_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\n"+who+row.header+"\r\n")
					require.NoError(t, err)
					require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
					all, err := io.ReadAll(c)
					require.NoError(t, err, "the connection is closed")
					c.Close()
					r := hear(t, bufio.NewReader(bytes.NewReader(all)))
					assert.Equal(t, row.status, r.StatusCode)
					assert.Contains(t, r.body, row.body)
					if row.body == "" {
						assert.Empty(t, r.body)
					} else {
						assert.Equal(t, textType, r.Header.Get("Content-Type"))
					}
					for _, name := range []string{"X-Request-Id", "WWW-Authenticate", "Allow", "Server", "Traceparent"} {
						assert.Empty(t, r.Header.Get(name), name)
					}
				}
			}
		})
	}
}
