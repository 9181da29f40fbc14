package httpapi

import (
	"bufio"
	"context"
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

// wire is a connection to the daemon that says what it likes.
func wire(t *testing.T, d *daemon) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("unix", d.path)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c, bufio.NewReader(c)
}

// post is a whole request with these headers.
func post(body string, headers ...string) string {
	return "POST " + runPath + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
		strings.Join(headers, "\r\n") + "\r\n\r\n" + body
}

// What a proxy and a server could read differently is refused, or ends the
// connection, so that nothing behind it is taken for another request.
func TestNothingIsSmuggledBehindARequest(t *testing.T) {
	length := fmt.Sprintf("Content-Length: %d", len(hello))
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hello), hello)
	hidden := "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, row := range []struct {
		name, request string
		status        int
		closes        bool // nothing else is answered
	}{
		{"a plain request is answered, and the next", post(hello, length), 200, false},
		{"two lengths that differ", post(hello, length, "Content-Length: 3"), 400, true},
		{"two lengths in one", post(hello, "Content-Length: 5, 6"), 400, true},
		{"a length below zero", post("", "Content-Length: -1"), 400, true},
		{"a length with a sign", post(hello, "Content-Length: +"+fmt.Sprint(len(hello))), 400, true},
		{"a length in hexadecimal", post(hello, "Content-Length: 0x2a"), 400, true},
		{"a length beyond all numbers", post("", "Content-Length: 99999999999999999999"), 400, true},
		{"chunks, and a length beside them", post(chunked, "Transfer-Encoding: chunked", "Content-Length: 3"), 200, true},
		{"chunks alone", post(chunked, "Transfer-Encoding: chunked"), 200, true},
		{"chunks twice", post(chunked, "Transfer-Encoding: chunked, chunked"), 501, true},
		{"chunks in two headers", post(chunked, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 501, true},
		{"another coding", post(hello, "Transfer-Encoding: gzip", length), 501, true},
		{"chunks with a name before the colon and a space", post(chunked, "Transfer-Encoding : chunked", length), 400, true},
		{"a header that goes on in the next line", post(hello, "X-A: b\r\n c: d", length), 200, false},
		{"a header without a name", post(hello, ": a", length), 400, true},
		{"two hosts", "POST " + runPath + " HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, true},
		{"no host", "POST " + runPath + " HTTP/1.1\r\n\r\n", 400, true},
		{"a host that is none", "POST " + runPath + " HTTP/1.1\r\nHost: a b\r\n\r\n", 400, true},
		{"a zero byte in a header", post(hello, "X-A: a\x00b", length), 400, true},
		{"a version that there is not", "GET /healthz HTTP/3.0\r\nHost: x\r\n\r\n", 505, true},
		{"a tunnel", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 404, false},
		{"another protocol", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200, false},
		{"HTTP/2 from the start", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 404, true},
		{"no HTTP", "hello\r\n\r\n", 400, true},
		{"a header of 40 KiB", post(hello, "X-A: "+strings.Repeat("a", 40<<10), length), 431, true},
		{"a thousand headers of little", post(hello, strings.Repeat("X-Abcdef: 0123456789\r\n", 1000)+length), 431, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := start(t, Config{Executor: executorFunc(echo)})
			c, in := wire(t, d)
			require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
			go io.WriteString(c, row.request+hidden) // it may be cut off before the end
			r := hear(t, in)
			assert.Equal(t, row.status, r.StatusCode, r.body)
			second, err := http.ReadResponse(in, nil)
			if !row.closes {
				require.NoError(t, err)
				second.Body.Close()
				assert.Equal(t, 404, second.StatusCode)
				return
			}
			require.Error(t, err, "what is hidden behind it was answered")
		})
	}
}

func TestPipelinedRequestsAreAnsweredInTheirOrder(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo), Slots: 1})
	c, in := wire(t, d)
	var all strings.Builder
	for i := range 20 {
		body := fmt.Sprintf(`{"language":"python","code":"%d"}`, i)
		all.WriteString(post(body, fmt.Sprintf("Content-Length: %d", len(body))))
	}
	require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := io.WriteString(c, all.String())
	require.NoError(t, err)
	for i := range 20 {
		var result policy.Result
		decode(t, hear(t, in), &result)
		assert.Equal(t, fmt.Sprint(i), result.Stdout)
	}
}

// A caller that sends its headers slowly holds a connection, and no slot.
func TestHeadersThatDoNotEndAreGivenUp(t *testing.T) {
	t.Parallel()
	d := start(t, Config{Executor: executorFunc(echo), Slots: 1})
	c, in := wire(t, d)
	_, err := io.WriteString(c, "POST "+runPath+" HTTP/1.1\r\nHost: x\r\n")
	require.NoError(t, err)
	assert.Equal(t, 200, d.do("POST", runPath, hello).StatusCode)
	require.NoError(t, c.SetDeadline(time.Now().Add(2*headerTimeout))) // the time is the subject: it must end within it
	_, err = io.Copy(io.Discard, in)
	assert.NoError(t, err, "the connection must be closed")
}

// A caller that does not read holds no slot, and no connection for ever.
func TestAReaderThatDoesNotReadIsGivenUp(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	d := start(t, Config{Slots: 1, ReplyTimeout: 100 * time.Millisecond, Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
		result, err := echo(ctx, r)
		if r.Code == "big" {
			result.Stdout = strings.Repeat("x", 8<<20) // more than a socket's buffers hold
			context.AfterFunc(ctx, func() { close(ended) })
		}
		return result, err
	})})
	c, in := wire(t, d)
	body := `{"language":"python","code":"big"}`
	_, err := io.WriteString(c, post(body, fmt.Sprintf("Content-Length: %d", len(body))))
	require.NoError(t, err)
	assert.Eventually(t, func() bool {
		r, err := d.try(context.Background(), "POST", runPath, hello)
		return err == nil && r.StatusCode == 200
	}, 10*time.Second, time.Millisecond, "the slot is free while the reply waits")
	select {
	case <-ended:
	case <-time.After(time.Minute): // a reply of this size has eight seconds
		require.Fail(t, "the reply was not given up")
	}
	n, err := io.Copy(io.Discard, in)
	assert.Less(t, n, int64(8<<20), "the reply must have been cut off")
	_ = err // cut off is an end, or an error: what is left in the buffers decides
}

// Who hangs up before it has a slot leaves the queue; nothing is run for it.
func TestWhoHangsUpWhileItWaitsIsNotRun(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 2, WaitLimit: time.Minute})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	ctx, hangUp := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := d.try(ctx, "GET", "/healthz", "")
		if err == nil {
			_, err = d.try(ctx, "POST", runPath, "")
		}
		gone <- err
	}()
	waits(t, d.server.runs, 1)
	hangUp()
	await(t, "who hung up", gone)
	waits(t, d.server.runs, 0)
	close(h.release)
	assert.Equal(t, 200, await(t, "the run's reply", running).StatusCode)
	assert.Empty(t, h.started)
}

// serveAs answers a request as if it came from somebody: the test need not run as
// several users.
func serveAs(ctx context.Context, s *Server, p Peer, body string) int {
	r := httptest.NewRequest("POST", runPath, strings.NewReader(body)).WithContext(context.WithValue(ctx, peerKey{}, p))
	r.Header.Set("Content-Type", jsonType)
	w := &deadlined{httptest.NewRecorder()}
	s.ServeHTTP(w, r)
	return w.Code
}

// One caller takes what it may, and another gets in at once: counted, not timed.
func TestAFloodLeavesASlotToOthers(t *testing.T) {
	h := newHeld()
	s, err := New(Config{Executor: h, Slots: 4, Waiting: 16, WaitLimit: time.Minute, Logger: discard})
	require.NoError(t, err)
	flood, light := Peer{UID: 1}, Peer{UID: 2}
	replies := make(chan int, 64)
	ctx, end := context.WithCancel(context.Background())
	send := func(p Peer) {
		go func() { replies <- serveAs(ctx, s, p, hello) }()
	}
	for range 20 {
		send(flood)
	}
	for range 3 {
		await(t, "a run of the flood", h.started)
	}
	require.Eventually(t, func() bool { return len(replies) == 1 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, 429, <-replies, "of twenty three run, sixteen wait, one is told to come back")
	running, waiting := s.runs.depth()
	assert.Equal(t, 3, running)
	assert.Equal(t, 16, waiting)
	send(light)
	await(t, "the light one's run", h.started)
	running, waiting = s.runs.depth()
	assert.Equal(t, 4, running)
	assert.Equal(t, 16, waiting, "it did not wait")
	send(light) // and its second drives one of the flood's out
	require.Eventually(t, func() bool { return len(replies) == 1 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, 429, <-replies)
	end()
	assert.NoError(t, s.stop())
}
