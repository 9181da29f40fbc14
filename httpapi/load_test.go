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
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

func TestOverloadIs429AndSaysWhy(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: time.Minute})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	waiting := d.later("POST", runPath, hello)
	waits(t, d.server.runs, 1)

	full := d.do("POST", runPath, hello)
	assert.Equal(t, 429, full.StatusCode)
	assert.Equal(t, "1", full.Header.Get("Retry-After"))
	p := full.problem(t)
	assert.Equal(t, policy.CodeBusy, p.Code)
	assert.Equal(t, "queue_full", p.Reason)
	assert.EqualValues(t, 1, p.RetryAfter)
	// A bad body is not even read then: the slot comes first.
	assert.Equal(t, 429, d.do("POST", runPath, "nonsense").StatusCode)
	// What is not a run is answered all the same.
	assert.Equal(t, 200, d.do("GET", "/healthz", "").StatusCode)

	close(h.release)
	assert.Equal(t, 200, await(t, "the run's reply", running).StatusCode)
	assert.Equal(t, 200, await(t, "the one that waited", waiting).StatusCode)
	assert.Equal(t, 200, d.do("POST", runPath, hello).StatusCode, "the slot must have come back")
}

func TestWhoWaitsTooLongIs429AndSaysWhy(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: 50 * time.Millisecond})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	late := d.do("POST", runPath, hello)
	assert.Equal(t, 429, late.StatusCode)
	assert.Equal(t, "wait_limit", late.problem(t).Reason)
	close(h.release)
	assert.Equal(t, 200, await(t, "the run's reply", running).StatusCode)
	assert.Equal(t, 200, d.do("POST", runPath, hello).StatusCode, "the slot must have come back")
}

func TestWhoWaitsIsServedAndTheWaitIsMeasured(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: 10 * time.Second})
	first := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	second := d.later("POST", runPath, hello)
	waits(t, d.server.runs, 1)
	time.Sleep(20 * time.Millisecond) // the time is the subject: it is what must be measured
	h.release <- struct{}{}
	assert.Equal(t, 200, await(t, "the first", first).StatusCode)
	h.release <- struct{}{}
	got := await(t, "the second", second)
	var result policy.Result
	decode(t, got, &result)
	assert.GreaterOrEqual(t, result.Metrics.QueueTimeMS, 20.0)
	assert.GreaterOrEqual(t, result.Metrics.TotalTimeMS, result.Metrics.QueueTimeMS)
}

func TestNoMoreRunsThanSlots(t *testing.T) {
	var now, peak atomic.Int64
	d := start(t, Config{Slots: 3, Waiting: 64, WaitLimit: 10 * time.Second, Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		time.Sleep(time.Millisecond) // long enough that runs overlap
		return echo(ctx, r)
	})})
	var replies []<-chan reply
	for range 40 {
		replies = append(replies, d.later("POST", runPath, hello))
	}
	for _, c := range replies {
		assert.Equal(t, 200, await(t, "a reply", c).StatusCode)
	}
	assert.LessOrEqual(t, peak.Load(), int64(3))
	assert.Greater(t, peak.Load(), int64(1), "runs must overlap, or this shows nothing")
}

func TestACallerWhoHangsUpEndsTheRun(t *testing.T) {
	cancelled := make(chan struct{})
	started := make(chan struct{}, 1)
	d := start(t, Config{Slots: 1, Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
		started <- struct{}{}
		<-ctx.Done()
		close(cancelled)
		return &policy.Result{Status: policy.Cancelled}, nil
	})})
	ctx, hangUp := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := d.try(ctx, "POST", runPath, hello)
		gone <- err
	}()
	await(t, "the run", started)
	hangUp()
	assert.ErrorIs(t, await(t, "the caller", gone), context.Canceled)
	select {
	case <-cancelled:
	case <-time.After(10 * time.Second):
		t.Fatal("the run went on")
	}
}

func TestDrainFinishesWhatRunsAndRefusesTheRest(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: 10 * time.Second})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	waiting := d.later("POST", runPath, hello)
	waits(t, d.server.runs, 1)
	var active, queued Submitted
	decode(t, d.do("POST", asyncPath, hello), &active)
	await(t, "the job", h.started)
	decode(t, d.do("POST", asyncPath, hello), &queued)

	// Connected and sent before the drain begins, so that it cannot come late.
	poll, err := net.Dial("unix", d.path)
	require.NoError(t, err)
	defer poll.Close()
	_, err = fmt.Fprintf(poll, "GET %s%s?wait=10s HTTP/1.1\r\nHost: x\r\n\r\n", jobPrefix, active.JobID)
	require.NoError(t, err)

	d.stop()
	refused := await(t, "the one that waited", waiting)
	assert.Equal(t, 503, refused.StatusCode)
	assert.Equal(t, policy.CodeUnavailable, refused.problem(t).Code)
	for _, path := range []string{runPath, asyncPath} {
		r := d.do("POST", path, hello) // on a new connection: the others are closed
		assert.Equal(t, 503, r.StatusCode, path)
		assert.Equal(t, policy.CodeUnavailable, r.problem(t).Code)
	}
	assert.Equal(t, 503, d.do("GET", "/readyz", "").StatusCode)
	assert.Equal(t, 200, d.do("GET", "/healthz", "").StatusCode)
	var job Job
	decode(t, d.do("GET", jobPrefix+queued.JobID, ""), &job)
	assert.Equal(t, policy.Queued, job.Status, "it stays where it is kept")
	close(h.release)
	assert.Equal(t, 200, await(t, "the run's reply", running).StatusCode)
	answer, err := http.ReadResponse(bufio.NewReader(poll), nil)
	require.NoError(t, err)
	job = Job{}
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&job))
	assert.Equal(t, policy.Succeeded, job.Status)
	d.client.CloseIdleConnections()
	assert.NoError(t, await(t, "Serve", d.served))
	_, err = net.Dial("unix", d.path)
	assert.True(t, errors.Is(err, os.ErrNotExist), "the socket file must be gone: %v", err)
	d.served <- nil // for the clean-up
}

func TestDrainIsBounded(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, DrainTimeout: 50 * time.Millisecond})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	var job Submitted
	decode(t, d.do("POST", asyncPath, hello), &job)
	await(t, "the job", h.started)
	d.stop()
	var result policy.Result
	decode(t, await(t, "the reply", running), &result)
	assert.Equal(t, policy.Cancelled, result.Status, "it must have been killed")
	assert.ErrorIs(t, await(t, "Serve", d.served), context.DeadlineExceeded)
	d.served <- nil
}

func TestABigBodyMeetsARefusal(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: time.Millisecond})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	body := `{"language":"python","code":"` + string(make([]byte, 4<<20)) + `"}`
	r := d.do("POST", runPath, body, "Expect", "100-continue")
	assert.Equal(t, http.StatusTooManyRequests, r.StatusCode)
	close(h.release)
	await(t, "the run's reply", running)
}

func TestConnectionsOfOneCallerAreBounded(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo), ConnectionsPerUID: 3})
	var held []net.Conn
	for range 3 {
		c, err := net.Dial("unix", d.path)
		require.NoError(t, err)
		defer c.Close()
		held = append(held, c)
	}
	c, err := net.Dial("unix", d.path)
	require.NoError(t, err)
	defer c.Close()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err, "it must be closed")
	assert.Equal(t, 429, r.StatusCode)
	assert.Equal(t, "1", r.Header.Get("Retry-After"))
	assert.Equal(t, "connections", reply{r, string(text)}.problem(t).Reason)

	held[0].Close()
	require.Eventually(t, func() bool {
		got, err := d.try(context.Background(), "POST", runPath, hello)
		return err == nil && got.StatusCode == 200
	}, 10*time.Second, time.Millisecond, "the place must come back")
}

func TestTheLineShowsWhoRunsAndWhoWaits(t *testing.T) {
	h, line := newHeld(), new(observe.Line)
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: 10 * time.Second, Line: line})
	first := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	second := d.later("POST", runPath, hello)
	require.Eventually(t, func() bool { q := line.Queue(); return q.Running == 1 && q.Waiting == 1 && q.Oldest > 0 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, 429, d.do("POST", runPath, hello).StatusCode)
	close(h.release)
	await(t, "the first", first)
	await(t, "the second", second)
	assert.Equal(t, observe.Queue{}, line.Queue(), "counted before the reply")
}
