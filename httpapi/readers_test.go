package httpapi

import (
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
	cfg := Config{Executor: e, Logger: discard, Heartbeat: 20 * time.Millisecond}
	cfg.Jobs = store(t, cfg, 64)
	s, err := New(cfg)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(s)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 50*time.Millisecond, 50*time.Millisecond
	// Both would be ReadTimeout, and over before a caller that is slow has asked.
	server.Config.ReadHeaderTimeout, server.Config.IdleTimeout = time.Minute, time.Minute
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
	d := start(t, Config{Executor: e, DrainTimeout: 50 * time.Millisecond})
	submit(d, hello)
	queued := submit(d, hello).JobID
	stream, err := d.client.Get("http://x" + jobPrefix + queued + "/events")
	require.NoError(t, err)
	defer stream.Body.Close()
	next := eventReader(t, stream.Body)
	first, ok := next()
	require.True(t, ok)
	require.Equal(t, "queued", first.Kind)
	d.stop()
	_, ok = next()
	assert.False(t, ok, "there is no verdict")
	assert.True(t, errors.Is(await(t, "Serve", d.served), context.DeadlineExceeded))
	d.served <- nil // for the clean-up
}
