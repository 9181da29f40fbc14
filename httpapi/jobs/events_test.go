package jobs_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/events"
	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// kinds reads a log to its end.
func kinds(t *testing.T, log *events.Log) (list []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	after := events.ID{}
	for {
		found, err := log.Next(ctx, after)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		for _, e := range found {
			list, after = append(list, e.Kind), e.ID
		}
	}
}

func (b *bench) log(owner, id string) *events.Log {
	b.t.Helper()
	log, err := b.Events(b.t.Context(), owner, id)
	require.NoError(b.t, err)
	return log
}

func TestEventsOfAJob(t *testing.T) {
	for _, row := range []struct {
		name, code string
		want       []string
	}{
		{"a run", "hold", []string{"queued", "started", "stdout", "result", "done"}},
		{"our failure", "bad", []string{"queued", "started", "stdout", "error", "done"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := open(t, nil)
			b.submit("a", "hold the worker")
			<-b.e.started
			id := b.submit("a", row.code)
			early := b.log("a", id)
			close(b.e.release)
			assert.Equal(t, row.want, kinds(t, early), "followed from the queue on")
			b.wait("a", id)
			b.close()
			b.reopen()
			late := b.log("a", id)
			got := kinds(t, late)
			assert.Equal(t, row.want[len(row.want)-2:], got[len(got)-2:], "rebuilt after a restart")
			assert.Equal(t, row.want[:2], got[:2])
			last := events.ID{Attempt: 1, N: len(row.want) - 1}
			found, err := late.Next(t.Context(), last)
			require.NoError(t, err)
			require.Len(t, found, 1)
			assert.Equal(t, "done", found[0].Kind, "ids of the end are those of the live log")
		})
	}
}

func TestAReaderFollowsAJobIntoItsNextAttempt(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.submit("a", "hold the worker")
	<-b.e.started
	b.e.runs.Store(0)
	id := b.submit("a", "gone at first")
	log := b.log("a", id)
	close(b.e.release)
	b.wait("a", id)
	found, err := log.Next(t.Context(), events.ID{Attempt: 1, N: 2})
	require.NoError(t, err)
	assert.Equal(t, events.ID{Attempt: 2, N: 1}, found[0].ID)
	assert.Equal(t, []string{"queued", "started", "stdout", "result", "done"}, kinds(t, log))
}

func TestAReaderThatDoesNotReadHoldsUpNothing(t *testing.T) {
	b := open(t, nil)
	b.submit("a", "hold")
	<-b.e.started
	id := b.submit("a", "print")
	for range 100 {
		b.log("a", id)
	}
	close(b.e.release)
	assert.Equal(t, policy.Succeeded, b.wait("a", id).Status)
}

func TestARecordBreaksOffWithTheStore(t *testing.T) {
	b := open(t, nil)
	id := b.submit("a", "hold")
	<-b.e.started
	log := b.log("a", id)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Error(t, b.Close(ctx))
	after := events.ID{}
	for {
		found, err := log.Next(t.Context(), after)
		if err != nil {
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "there is no done without a verdict")
			break
		}
		after = found[len(found)-1].ID
	}
}

// asked counts what a store asks of its queue.
type asked struct {
	jobs.Queue
	gets chan string
	fail chan error // what Complete fails with, in turn
}

func (q *asked) Peek(ctx context.Context, owner, id string) (jobs.Record, error) {
	r, err := q.Queue.Peek(ctx, owner, id)
	q.gets <- id
	return r, err
}

func (q *asked) Complete(ctx context.Context, l jobs.Lease, v jobs.Verdict) error {
	select {
	case err := <-q.fail:
		return err
	default:
		return q.Queue.Complete(ctx, l, v)
	}
}

func TestWaitingAsksTheQueueNothing(t *testing.T) {
	q := &asked{gets: make(chan string, 100)}
	b := open(t, func(c *jobs.Config) { q.Queue, c.Queue = c.Queue, q })
	id := b.submit("a", "hold")
	<-b.e.started
	done := make(chan jobs.Job, 1)
	go func() {
		job, _ := b.Wait(t.Context(), "a", id)
		done <- job
	}()
	<-q.gets // it asked once and waits now
	close(b.e.release)
	assert.Equal(t, policy.Succeeded, (<-done).Status)
	assert.Len(t, q.gets, 1, "and once more at the end")
}

func TestAVerdictThatCannotBeKept(t *testing.T) {
	t.Parallel()
	unavailable := &policy.Error{Code: policy.CodeUnavailable, Message: "the disk is full"}
	for _, row := range []struct {
		name   string
		fail   []error
		status policy.Status
	}{
		{"for now is kept later", []error{unavailable, unavailable}, policy.Succeeded},
		{"ever is our failure", []error{&policy.Error{Code: policy.CodeInternal}}, policy.Errored},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := &asked{gets: make(chan string, 1000), fail: make(chan error, 10)}
			b := open(t, func(c *jobs.Config) { q.Queue, c.Queue = c.Queue, q })
			for _, err := range row.fail {
				q.fail <- err
			}
			id := b.submit("a", "print")
			<-b.e.started
			job, err := b.Get(t.Context(), "a", id)
			require.NoError(t, err)
			assert.NotEqual(t, policy.Succeeded, job.Status, "nobody hears of it before it is kept")
			assert.Equal(t, row.status, b.wait("a", id).Status)
			assert.EqualValues(t, 1, b.e.runs.Load())
		})
	}
}
