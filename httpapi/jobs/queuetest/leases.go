package queuetest

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

func doubleClaim(t *testing.T, d Driver) {
	q := start(t, d)
	const n = 300
	for range n {
		q.add(job("a"))
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := map[string]int{}
	for range 16 {
		wg.Go(func() {
			for {
				c, err := q.Claim(t.Context(), lease)
				if !assert.NoError(t, err) || c == nil {
					return
				}
				mu.Lock()
				seen[c.ID]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	assert.Len(t, seen, n)
	for id, times := range seen {
		assert.Equal(t, 1, times, id)
	}
}

func lostLease(t *testing.T, d Driver) {
	q := start(t, d)
	id := q.add(job("a"))
	old := q.claim()
	for range 5 {
		q.clock.Pass(lease - time.Second)
		_, err := q.Heartbeat(t.Context(), old.Lease(), lease)
		require.NoError(t, err)
		assert.Empty(t, q.expire(wide).Requeued, "a lease that is extended holds")
	}
	q.clock.Pass(lease + time.Second)
	_, err := q.Heartbeat(t.Context(), old.Lease(), lease)
	assert.NoError(t, err, "late, but nobody has decided yet")
	q.clock.Pass(lease + time.Second)
	assert.Equal(t, refs("a", id), q.expire(wide).Requeued)
	now := q.claim()
	require.Equal(t, jobs.Lease{ID: id, Attempt: 2}, now.Lease())
	_, err = q.Heartbeat(t.Context(), old.Lease(), lease)
	assert.ErrorIs(t, err, jobs.ErrLost)
	assert.ErrorIs(t, q.Complete(t.Context(), old.Lease(), verdict("old")), jobs.ErrLost)
	require.NoError(t, q.Complete(t.Context(), now.Lease(), verdict("new")))
	assert.ErrorIs(t, q.Complete(t.Context(), old.Lease(), verdict("old")), jobs.ErrLost)
	assert.Equal(t, "new", string(q.get("a", id).Verdict))

	given := q.add(job("a"))
	c := q.claim()
	_, err = q.Heartbeat(t.Context(), c.Lease(), 0)
	require.NoError(t, err)
	assert.Equal(t, refs("a", given), q.expire(wide).Requeued, "a lease of no length gives the job up")
}

func attempts(t *testing.T, d Driver) {
	q := start(t, d)
	id := q.add(job("a"))
	b := wide
	b.MaxAttempts = 3
	for i := range 3 {
		c := q.claim()
		require.NotNil(t, c)
		assert.Equal(t, i+1, c.Attempt)
		if i == 1 {
			q.reopen()
		} else {
			q.clock.Pass(lease + 1)
		}
		out := q.expire(b)
		assert.Equal(t, i < 2, len(out.Requeued) == 1)
		assert.Equal(t, i == 2, len(out.Ended) == 1)
	}
	assert.Nil(t, q.claim())
	r := q.get("a", id)
	assert.Equal(t, policy.Errored, r.Status)
	assert.Equal(t, policy.ReasonRestarted, reasonOf(t, r))
}

func reasonOf(t *testing.T, r jobs.Record) policy.Reason {
	t.Helper()
	var v struct{ Result policy.Result }
	require.NoError(t, json.Unmarshal(r.Verdict, &v))
	assert.Equal(t, r.Status, v.Result.Status)
	return v.Result.Termination.Reason
}

func deadlines(t *testing.T, d Driver) {
	q := start(t, d)
	short, long := job("a"), job("a")
	short.TTL = time.Minute
	q.add(short)
	q.add(long)
	q.clock.Pass(time.Minute - 1*time.Microsecond)
	assert.Empty(t, q.expire(wide).Ended)
	q.clock.Pass(time.Microsecond)
	c := q.claim()
	require.NotNil(t, c)
	assert.Equal(t, long.ID, c.ID, "though no sweep has been")
	assert.Equal(t, refs("a", short.ID), q.expire(wide).Ended)
	r := q.get("a", short.ID)
	assert.Equal(t, policy.Cancelled, r.Status)
	assert.Equal(t, policy.ReasonExpired, reasonOf(t, r))
	q.clock.Pass(2 * time.Hour)
	_, err := q.Heartbeat(t.Context(), c.Lease(), lease)
	require.NoError(t, err)
	assert.Empty(t, q.expire(wide).Ended, "a deadline is for waiting")

	restarted := job("a")
	q.add(restarted)
	q.reopen()
	q.clock.Pass(time.Hour)
	assert.Contains(t, q.expire(wide).Ended, jobs.Ref{Owner: "a", ID: restarted.ID}, "deadlines outlive the process")
}

func clockJumps(t *testing.T, d Driver) {
	for _, jump := range []time.Duration{-100 * 365 * 24 * time.Hour, -time.Hour, time.Hour, 1000 * time.Hour, 100 * 365 * 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			q := start(t, d)
			running, waiting := q.add(job("a")), q.add(job("a"))
			done := q.add(job("a"))
			c := q.claim()
			_, err := q.Cancel(t.Context(), "a", done)
			require.NoError(t, err)
			q.clock.Jump(jump)
			out := q.expire(wide)
			assert.Empty(t, out.Requeued, "the lease holds: it runs once")
			assert.Empty(t, out.Ended, "nothing is lost")
			assert.Zero(t, out.Forgotten)
			q.clock.Pass(lease - 1)
			require.NoError(t, q.Complete(t.Context(), c.Lease(), verdict("v")))
			assert.Equal(t, policy.Succeeded, q.get("a", running).Status)
			c = q.claim()
			require.NotNil(t, c)
			assert.Equal(t, waiting, c.ID)
			assert.Equal(t, lease-1*time.Microsecond, c.Waited.Truncate(time.Microsecond))
			q.clock.Pass(lease + 1)
			assert.Equal(t, refs("a", waiting), q.expire(wide).Requeued, "and runs out by the time that passed")
			q.clock.Jump(-jump)
			assert.Equal(t, waiting, q.claim().ID)
			q.reopen()
			assert.Equal(t, refs("a", waiting), q.expire(wide).Requeued)
			late := q.add(job("a"))
			assert.Equal(t, policy.Queued, q.get("a", late).Status)
			q.clock.Pass(time.Hour)
			assert.Contains(t, q.expire(wide).Ended, jobs.Ref{Owner: "a", ID: late})
		})
	}
}
