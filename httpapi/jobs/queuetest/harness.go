package queuetest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// Driver opens the queue to test. Where several processes may share the store, the
// driver opens it as if it were alone.
type Driver func(dir string, clock jobs.Clock) (jobs.Queue, error)

// Clock is a clock that goes when it is told to.
type Clock struct {
	mu      sync.Mutex
	wall    time.Time
	elapsed time.Duration
}

// NewClock stands at some time of day.
func NewClock() *Clock {
	return &Clock{wall: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), elapsed: time.Hour}
}

// Wall is the time of day.
func (c *Clock) Wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

// Elapsed is the time that passed.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.elapsed = c.wall.Add(d), c.elapsed+d
}

// Jump sets the time of day forth or back while none passes.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = c.wall.Add(d)
}

// wide are bounds that nothing reaches.
var wide = jobs.Bounds{MaxAttempts: 1000, MaxFinished: 1 << 20, MaxFinishedBytes: 1 << 40, MaxAge: 1000 * time.Hour}

const lease = 30 * time.Second

// queue is an open queue of a test, with the failures made fatal.
type queue struct {
	jobs.Queue
	t     *testing.T
	clock *Clock
	dir   string
	open  Driver
}

func start(t *testing.T, open Driver) *queue {
	q := &queue{t: t, clock: NewClock(), dir: t.TempDir(), open: open}
	q.reopen()
	t.Cleanup(func() { _ = q.Close() }) // a test may have closed it
	return q
}

func (q *queue) reopen() {
	q.t.Helper()
	if q.Queue != nil {
		require.NoError(q.t, q.Close())
	}
	var err error
	q.Queue, err = q.open(q.dir, q.clock)
	require.NoError(q.t, err)
}

func job(owner string) jobs.Entry {
	return jobs.Entry{
		ID: "job_" + rand.Text(), Owner: owner, Weight: 1, AtOnce: jobs.MaxAtOnce, TTL: time.Hour, Request: []byte(`{"Code":"1"}`),
	}
}

func (q *queue) add(j jobs.Entry) string {
	q.t.Helper()
	r, existed, err := q.Enqueue(q.t.Context(), j)
	require.NoError(q.t, err)
	require.False(q.t, existed)
	return r.ID
}

func (q *queue) claim() *jobs.Claimed {
	q.t.Helper()
	c, err := q.Claim(q.t.Context(), lease)
	require.NoError(q.t, err)
	return c
}

func (q *queue) expire(b jobs.Bounds) jobs.Expired {
	q.t.Helper()
	out, err := q.Expire(q.t.Context(), b)
	require.NoError(q.t, err)
	return out
}

func (q *queue) get(owner, id string) jobs.Record {
	q.t.Helper()
	r, err := q.Get(q.t.Context(), owner, id)
	require.NoError(q.t, err)
	return r
}

// finish runs whatever is next to this verdict.
func (q *queue) finish(body string) {
	q.t.Helper()
	c := q.claim()
	require.NotNil(q.t, c)
	require.NoError(q.t, q.Complete(q.t.Context(), c.Lease(), verdict(body)))
}

func verdict(body string) jobs.Verdict {
	return jobs.Verdict{Status: policy.Succeeded, Body: []byte(body)}
}

func codeOf(err error) policy.Code {
	var e *policy.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return policy.Code(fmt.Sprint(err))
}

func refs(owner string, ids ...string) (list []jobs.Ref) {
	for _, id := range ids {
		list = append(list, jobs.Ref{Owner: owner, ID: id})
	}
	return list
}
