package queuetest

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

func cancelling(t *testing.T, d Driver) {
	q := start(t, d)
	running, waiting := q.add(job("a")), q.add(job("a"))
	c := q.claim()
	for range 2 {
		r, err := q.Cancel(t.Context(), "a", waiting)
		require.NoError(t, err)
		assert.Equal(t, policy.Cancelled, r.Status)
		assert.Equal(t, policy.ReasonCancelled, reasonOf(t, r))
		r, err = q.Cancel(t.Context(), "a", running)
		require.NoError(t, err)
		assert.Equal(t, policy.Running, r.Status)
		assert.True(t, r.Cancelled)
	}
	assert.Nil(t, q.claim())
	marked, err := q.Heartbeat(t.Context(), c.Lease(), lease)
	require.NoError(t, err)
	assert.True(t, marked)
	require.NoError(t, q.Complete(t.Context(), c.Lease(), verdict("v")), "the worker has the last word")
	r, err := q.Cancel(t.Context(), "a", running)
	require.NoError(t, err)
	assert.Equal(t, policy.Succeeded, r.Status)
	assert.Equal(t, "v", string(r.Verdict))

	q.add(job("a"))
	c = q.claim()
	_, err = q.Cancel(t.Context(), "a", c.ID)
	require.NoError(t, err)
	q.clock.Pass(lease + 1)
	assert.Equal(t, refs("a", c.ID), q.expire(wide).Ended, "nobody runs it again")
	assert.Equal(t, policy.ReasonCancelled, reasonOf(t, q.get("a", c.ID)))
}

func cancelRaces(t *testing.T, d Driver) {
	q := start(t, d)
	for range 100 {
		id := q.add(job("a"))
		var wg sync.WaitGroup
		var completed error
		claimed := false
		wg.Go(func() {
			c, err := q.Claim(t.Context(), lease)
			if assert.NoError(t, err) && c != nil {
				claimed = true
				completed = q.Complete(t.Context(), c.Lease(), verdict("v"))
			}
		})
		wg.Go(func() {
			_, err := q.Cancel(t.Context(), "a", id)
			assert.NoError(t, err)
		})
		wg.Go(func() {
			_, err := q.Expire(t.Context(), wide)
			assert.NoError(t, err)
		})
		wg.Wait()
		r := q.get("a", id)
		require.True(t, jobs.Ended(r.Status), "it is %s", r.Status)
		assert.Equal(t, claimed, r.Status == policy.Succeeded)
		assert.False(t, errors.Is(completed, jobs.ErrLost), "a job that runs is not decided beside its worker")
		assert.NoError(t, completed)
	}
}
