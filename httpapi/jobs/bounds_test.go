package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

func reason(err error) string {
	var e *policy.Error
	if !errors.As(err, &e) {
		return ""
	}
	return string(e.Code) + " " + e.Reason
}

func TestTheQueueIsBounded(t *testing.T) {
	b := open(t, func(c *jobs.Config) { c.MaxQueued, c.MaxQueuedPerOwner = 3, 2 })
	b.submit("a", "hold")
	<-b.e.started // it left the queue
	b.submit("a", "hold")
	_, err := b.ReserveUpTo("a", 1)
	assert.Equal(t, "busy caller_queue", reason(err), "a share of his own")
	place, err := b.Reserve("a")
	require.NoError(t, err)
	_, err = b.ReserveUpTo("a", 100)
	assert.Equal(t, "busy caller_queue", reason(err), "a reserved place counts for its owner")
	b.submit("b", "hold")
	_, err = b.Reserve("c")
	assert.Equal(t, "busy job_queue_full", reason(err), "a reserved place counts for all")
	place.Release()
	place.Release()
	cancelled := b.submit("c", "hold")
	_, err = b.Reserve("c")
	assert.Equal(t, "busy job_queue_full", reason(err), "releasing twice frees one place")
	_, _, err = place.Submit(t.Context(), jobs.Submission{})
	assert.Equal(t, policy.CodeConflict, codeOf(err), "a released place takes no job")
	b.close()
	b.reopen()
	<-b.e.started
	_, err = b.Reserve("c")
	assert.Equal(t, "busy job_queue_full", reason(err), "what waits counts after a restart, too")
	_, err = b.Cancel(t.Context(), "c", cancelled)
	require.NoError(t, err)
	b.submit("c", "hold")
}

func TestAKeyNamesOneJob(t *testing.T) {
	b := open(t, nil)
	sub := jobs.Submission{Request: policy.Request{Code: "hold"}, Key: "k", Digest: [32]byte{1}}
	id := b.submitted("a", sub)
	for _, row := range []struct {
		name    string
		digest  byte
		existed bool
		code    policy.Code
	}{
		{"the same body is the same job", 1, true, ""},
		{"another body is refused", 2, false, policy.CodeConflict},
	} {
		sub.Digest = [32]byte{row.digest}
		place, err := b.Reserve("a")
		require.NoError(t, err)
		job, existed, err := place.Submit(t.Context(), sub)
		assert.Equal(t, row.existed, existed, row.name)
		if row.code != "" {
			assert.Equal(t, row.code, codeOf(err))
			assert.ErrorContains(t, err, "Idempotency-Key")
		} else {
			assert.Equal(t, id, job.ID)
		}
	}
	assert.EqualValues(t, "hold", <-b.e.started)
	assert.EqualValues(t, 1, b.e.runs.Load())
}

func TestWhoWaitsForAJobThatExpiresIsTold(t *testing.T) {
	b := open(t, nil)
	b.submit("a", "hold")
	<-b.e.started
	id := b.submitted("a", jobs.Submission{TTL: time.Minute})
	log, err := b.Events(t.Context(), "a", id)
	require.NoError(t, err)
	go b.clock.Pass(time.Minute)
	job := b.wait("a", id)
	assert.Equal(t, policy.Cancelled, job.Status)
	assert.Equal(t, policy.ReasonExpired, job.Result.Termination.Reason)
	assert.Equal(t, []string{"queued", "result", "done"}, kinds(t, log))
	assert.EqualValues(t, 1, b.e.runs.Load())
}

func TestFinishedJobsAreForgottenThoughNobodyAsks(t *testing.T) {
	b := open(t, func(c *jobs.Config) { c.MaxFinished = 2 })
	var ids []string
	for range 5 {
		id := b.submit("a", "print")
		b.wait("a", id)
		ids = append(ids, id)
	}
	gone := func(id string) func() bool {
		return func() bool {
			_, err := b.Get(t.Context(), "a", id)
			return codeOf(err) == policy.CodeNotFound
		}
	}
	require.Eventually(t, gone(ids[2]), 10*time.Second, time.Millisecond)
	assert.False(t, gone(ids[3])())
	b.clock.Pass(time.Hour)
	require.Eventually(t, gone(ids[4]), 10*time.Second, time.Millisecond)
}

func TestCloseFinishesWhatRunsAndKeepsWhatWaits(t *testing.T) {
	b := open(t, nil)
	running, queued := b.submit("a", "hold 1"), b.submit("a", "hold 2")
	<-b.e.started
	place, err := b.Reserve("a")
	require.NoError(t, err)
	waiter := make(chan jobs.Job, 1)
	go func() {
		job, _ := b.Wait(t.Context(), "a", queued)
		waiter <- job
	}()
	closed := make(chan error, 1)
	go func() { closed <- b.Close(context.Background()) }()
	require.Eventually(t, func() bool {
		_, err := b.Reserve("a")
		return codeOf(err) == policy.CodeUnavailable
	}, 10*time.Second, time.Millisecond)
	_, _, err = place.Submit(t.Context(), jobs.Submission{})
	assert.Equal(t, policy.CodeUnavailable, codeOf(err))
	close(b.e.release)
	assert.NoError(t, <-closed)
	assert.Equal(t, policy.Queued, (<-waiter).Status, "who waits is let go")
	assert.NoError(t, b.Close(context.Background()), "closing twice is no error")
	assert.Equal(t, policy.Succeeded, b.wait("a", running).Status)
	assert.EqualValues(t, 1, b.e.runs.Load())

	require.NoError(t, b.queue.Close())
	b.reopen()
	job := b.wait("a", queued)
	assert.Equal(t, policy.Succeeded, job.Status)
	assert.Equal(t, 1, job.Attempt)
}

func TestAJobThatCloseKilledRunsAgain(t *testing.T) {
	b := open(t, nil)
	id := b.submit("a", "hold")
	for attempt := 1; attempt <= 3; attempt++ {
		<-b.e.started
		job, err := b.Get(t.Context(), "a", id)
		require.NoError(t, err)
		assert.Equal(t, policy.Running, job.Status)
		assert.Equal(t, attempt, job.Attempt)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, b.Close(ctx), context.Canceled)
		require.NoError(t, b.queue.Close())
		b.reopen()
	}
	job := b.wait("a", id)
	assert.Equal(t, policy.Errored, job.Status, "its attempts are used up")
	assert.Equal(t, policy.ReasonRestarted, job.Result.Termination.Reason)
	assert.EqualValues(t, 3, job.Result.Metrics.Attempt)
	assert.EqualValues(t, 3, b.e.runs.Load())
}

func TestJobsWaitWhileNothingMayRunAndUseUpNoAttempt(t *testing.T) {
	t.Parallel()
	var mayRun atomic.Bool
	asked := make(chan struct{}, 1000)
	b := open(t, func(c *jobs.Config) {
		c.MayRun = func() error {
			asked <- struct{}{}
			if mayRun.Load() {
				return nil
			}
			return errors.New("not now")
		}
	})
	<-asked
	id := b.submit("a", "print")
	<-asked // the worker has been free to take it, and has not
	job, err := b.Get(t.Context(), "a", id)
	require.NoError(t, err)
	assert.Equal(t, policy.Queued, job.Status)
	mayRun.Store(true)
	assert.EqualValues(t, 1, b.wait("a", id).Result.Metrics.Attempt)
}
