package httpapi

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testPatience is more than any of these tests takes: a caller that is slow for a moment
// is not the subject.
const testPatience = time.Minute

// crowded is a daemon whose one place for connections of this uid is taken.
func crowded(t *testing.T) *daemon {
	d := start(t, Config{Executor: executorFunc(echo), ConnectionsPerUID: 1, patience: testPatience})
	c, in := wire(t, d)
	require.Equal(t, 200, say(t, c, in, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").StatusCode)
	return d
}

// refusedWell wants a request of which every byte can be sent, and an answer that
// does not come before it.
func refusedWell(t *testing.T, d *daemon, request ...string) {
	t.Helper()
	c, in := wire(t, d)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Millisecond))) // the time is the subject: silence
	_, err := in.Peek(1)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "it is answered before it has asked")
	require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
	for _, part := range request {
		_, err := c.Write([]byte(part))
		require.NoError(t, err, "it ends before all is sent")
	}
	r := hear(t, in)
	assert.Equal(t, 429, r.StatusCode)
	assert.Equal(t, "connections", r.problem(t).Reason)
	_, err = in.Peek(1)
	assert.Error(t, err)
}

func TestARefusalAwaitsWhatItRefuses(t *testing.T) {
	for _, row := range []struct {
		name    string
		request []string
	}{
		{"a request without a body", []string{"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"}},
		{"one that comes in pieces", []string{"GET /healthz HT", "TP/1.1\r\nHost: x\r\n", "\r\n"}},
		{"one of megabytes", []string{"POST /v1/tools/safe-exec HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n", strings.Repeat("x", 4<<20)}},
		{"one that is not of HTTP", []string{"\x16\x03\x01"}},
	} {
		t.Run(row.name, func(t *testing.T) { refusedWell(t, crowded(t), row.request...) })
	}
}

func TestWhoeverComesIsNotKeptByTheRefused(t *testing.T) {
	d := crowded(t)
	var silent []net.Conn
	for range 20 * atOnce {
		c, _ := wire(t, d)
		silent = append(silent, c)
	}
	begun := time.Now()
	refusedWell(t, d, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	assert.Less(t, time.Since(begun), testPatience, "the silent ones make room")
	for i, c := range silent[:len(silent)-atOnce+1] { // the others are heard yet, beside whom came last
		require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
		assert.Equal(t, 429, hear(t, bufio.NewReader(c)).StatusCode, "%d is told, too", i)
	}
}

// Go's own client takes an answer that comes first for an error.
func TestClientsReadTheirRefusals(t *testing.T) {
	d := crowded(t)
	for i := range 300 {
		r, err := d.try(t.Context(), "GET", "/healthz", "", "Connection", "close")
		require.NoError(t, err, "%d", i)
		require.Equal(t, 429, r.StatusCode)
	}
}

func TestAListenerThatClosesKeepsNoRefused(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	l := newListener(noListener{}, newConnections(1, 1), refusalPatience)
	gone := make(chan struct{})
	l.refused.refuse(here, func() {
		here.Close()
		close(gone)
	})
	go func() { _ = l.Close() }()
	first, err := bufio.NewReader(there).ReadString('\n')
	assert.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 429 Too Many Requests\r\n", first)
	there.Close()
	<-gone
}

// noListener is one to close.
type noListener struct{ net.Listener }

func (noListener) Close() error { return nil }
func (noListener) Accept() (net.Conn, error) {
	return nil, fmt.Errorf("nobody: %w", errors.ErrUnsupported)
}
