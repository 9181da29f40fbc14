package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

func TestNoBoundMayBeMissing(t *testing.T) {
	good := jobs.Config{Workers: 1, MaxQueued: 1, MaxQueuedPerOwner: 1, MaxFinished: 1, MaxFinishedBytes: 1, MaxAge: 1}
	for name, edit := range map[string]func(*jobs.Config){
		"no executor":        func(c *jobs.Config) { c.Executor = nil },
		"no queue":           func(c *jobs.Config) { c.Queue = nil },
		"no workers":         func(c *jobs.Config) { c.Workers = 0 },
		"no places":          func(c *jobs.Config) { c.MaxQueued = 0 },
		"no share of them":   func(c *jobs.Config) { c.MaxQueuedPerOwner = 0 },
		"no results":         func(c *jobs.Config) { c.MaxFinished = -1 },
		"no bytes of these":  func(c *jobs.Config) { c.MaxFinishedBytes = 0 },
		"no age of a result": func(c *jobs.Config) { c.MaxAge = 0 },
		"fewer than no runs": func(c *jobs.Config) { c.MaxAttempts = -1 },
		"a lease of no time": func(c *jobs.Config) { c.Lease = -1 },
	} {
		cfg := good
		cfg.Executor, cfg.Queue = newScript(), open(t, nil).queue
		edit(&cfg)
		_, err := jobs.New(cfg)
		assert.Error(t, err, name)
	}
}

func TestAJobEndsWithWhatItsExecutorGave(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, code string
		status     policy.Status
		err        policy.Code
		runs       int64
	}{
		{"a result is kept", "print", policy.Succeeded, "", 1},
		{"bad input would be so again", "bad", policy.Errored, policy.CodeInvalid, 1},
		{"and so would what is forbidden", "forbidden", policy.Errored, policy.CodeForbidden, 1},
		{"a jail that cannot be made is our failure in the end", "fail", policy.Errored, policy.CodeSetup, 3},
		{"a panic is an internal error", "panic", policy.Errored, policy.CodeInternal, 3},
		{"neither result nor error is an internal error", "nothing", policy.Errored, policy.CodeInternal, 3},
		{"a template that was killed says nothing of the program", "killed at first", policy.Succeeded, "", 2},
		{"nor does an executor that is full", "full at first", policy.Succeeded, "", 2},
		{"an executor that goes away has said nothing", "gone at first", policy.Succeeded, "", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			id := b.submit("a", row.code)
			for _, when := range []string{"at once", "after a restart"} {
				job := b.wait("a", id)
				assert.Equal(t, row.status, job.Status, when)
				assert.Equal(t, row.runs, int64(job.Attempt))
				assert.Equal(t, row.runs, b.e.runs.Load())
				if row.err != "" {
					assert.Equal(t, row.err, codeOf(job.Err), when)
					assert.NotContains(t, job.Err.Error(), "secret", "a cause is not kept")
					assert.Nil(t, job.Result)
				} else {
					require.NoError(t, job.Err)
					assert.Equal(t, row.code, job.Result.Stdout)
					assert.Equal(t, row.runs, job.Result.Metrics.Attempt, "the result says which attempt it was")
					assert.NotNil(t, job.Result.Files, "lists are lists")
				}
				b.close()
				b.reopen()
			}
		})
	}
}

func TestAttemptsAreFurtherAndFurtherApart(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *jobs.Config) { c.MaxAttempts = 3 })
	b.wait("a", b.submit("a", "fail"))
	assert.Equal(t, time.Second, <-b.again.pauses)
	assert.Equal(t, 2*time.Second, <-b.again.pauses)
	assert.Empty(t, b.again.pauses, "none behind the last")
	job := b.wait("a", b.submit("a", "gone"))
	require.NotNil(t, job.Result, "%v", job.Err)
	assert.Equal(t, policy.ReasonRestarted, job.Result.Termination.Reason)
	assert.EqualValues(t, 3, job.Result.Metrics.Attempt)
}

// No worker is bound by a job that waits to be tried again, but it counts among those
// of its owner until then.
func TestAJobBetweenTwoAttempts(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.again.holds = true
	id := b.submit("a", "fail")
	<-b.again.pauses
	next := b.submit("a", "next")
	assert.Equal(t, policy.Succeeded, b.wait("b", b.submit("b", "print")).Status)
	job, err := b.Get(t.Context(), "a", id)
	require.NoError(t, err)
	assert.Equal(t, policy.Running, job.Status)
	assert.Equal(t, 1, job.Attempt)
	assert.EqualValues(t, 2, b.e.runs.Load())
	job, err = b.Get(t.Context(), "a", next)
	require.NoError(t, err)
	assert.Equal(t, policy.Queued, job.Status)

	_, err = b.Cancel(t.Context(), "a", id)
	require.NoError(t, err)
	assert.Equal(t, policy.Cancelled, b.wait("a", id).Status, "at once, though its pause is not over")
	assert.Equal(t, policy.Succeeded, b.wait("a", next).Status, "and that makes room for the owner's next one")
}

// hearing calls a function for each line of a log.
type hearing struct {
	slog.Handler
	heard func(slog.Record)
}

func (h hearing) Enabled(context.Context, slog.Level) bool { return true }

func (h hearing) Handle(_ context.Context, r slog.Record) error { h.heard(r); return nil }

func (h hearing) WithAttrs([]slog.Attr) slog.Handler { return h }

// The instant is that between the end of an attempt and the beginning of its pause.
func TestACancelWhileAnAttemptIsGivenUpIsNotWaitedFor(t *testing.T) {
	var b *bench
	var once sync.Once
	b = open(t, func(c *jobs.Config) {
		c.Logger = slog.New(hearing{slog.DiscardHandler, func(r slog.Record) {
			if r.Message != "job goes back to the queue" {
				return
			}
			once.Do(func() {
				page, _, err := b.List(t.Context(), "a", jobs.ListOptions{})
				if assert.NoError(t, err) && assert.Len(t, page, 1) {
					_, err = b.Cancel(t.Context(), "a", page[0].ID)
					assert.NoError(t, err)
				}
			})
		}})
	})
	b.again.holds = true
	assert.Equal(t, policy.Cancelled, b.wait("a", b.submit("a", "fail")).Status)
	assert.Empty(t, b.again.pauses)
}

func TestARequestIsKeptWhole(t *testing.T) {
	got := make(chan policy.Request, 1)
	b := open(t, func(c *jobs.Config) {
		c.Executor = executorFunc(func(r policy.Request) { got <- r })
	})
	limit := int64(7)
	sent := policy.Request{
		Language: "python", Code: "print('<ü>')\x00", Level: "strict", Deny: []string{"re"}, Profile: "p",
		Limits: policy.LimitsRequest{TimeoutMS: &limit}, StartMode: policy.StartCold,
		Caller: policy.Caller{Local: true, UID: 5, GID: 6}, Privileged: true, Ceiling: "relaxed",
		Input:   policy.Input{Stdin: "in", Args: []string{"-x"}, Env: map[string]string{"A": "b"}, Files: []policy.InputFile{{Path: "f", Content: []byte{0, 255}}}},
		Collect: []string{},
	}
	b.submitted("uid 5", jobs.Submission{Request: sent})
	kept := <-got
	assert.NotNil(t, kept.Watch)
	kept.Watch = nil
	assert.Equal(t, sent, kept)
}

type executorFunc func(policy.Request)

func (f executorFunc) Execute(_ context.Context, r policy.Request) (*policy.Result, error) {
	f(r)
	return &policy.Result{Status: policy.Succeeded}, nil
}

func TestNoMoreJobsRunThanThereAreWorkers(t *testing.T) {
	b := open(t, nil)
	first, second := b.submit("a", "hold 1"), b.submit("a", "hold 2")
	assert.Equal(t, "hold 1", <-b.e.started)
	job, err := b.Get(t.Context(), "a", first)
	require.NoError(t, err)
	assert.Equal(t, policy.Running, job.Status)
	waiting, running, err := b.Depth(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [2]int{1, 1}, [2]int{waiting, running})
	assert.EqualValues(t, 1, b.e.runs.Load())
	b.clock.Pass(3 * time.Second)
	close(b.e.release)
	job = b.wait("a", second)
	assert.Equal(t, "hold 2", job.Result.Stdout)
	assert.Equal(t, 3000.0, job.Result.Metrics.QueueTimeMS)
}

func TestOneOwnersSleepersLeaveAWorkerToOthers(t *testing.T) {
	b := open(t, func(c *jobs.Config) { c.Workers, c.MaxQueued, c.MaxQueuedPerOwner = 8, 100, 100 })
	for range 16 {
		b.submit("a", "hold")
	}
	for range 6 {
		assert.Equal(t, "hold", <-b.e.started)
	}
	assert.Equal(t, policy.Succeeded, b.wait("b", b.submit("b", "light")).Status, "while a has six sleepers and ten behind them")
	assert.Equal(t, "light", <-b.e.started)
	assert.EqualValues(t, 7, b.e.runs.Load(), "and not one more")
	waiting, running, err := b.Depth(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [2]int{10, 6}, [2]int{waiting, running})
	all := b.submitted("root", jobs.Submission{Request: policy.Request{Code: "hold root"}, AtOnce: 8})
	assert.Equal(t, "hold root", <-b.e.started)
	close(b.e.release)
	b.wait("root", all)
	for range 10 {
		<-b.e.started
	}
}

func TestAnotherCallersJobDoesNotExist(t *testing.T) {
	b := open(t, nil)
	id := b.submit("uid 1000", "print")
	b.wait("uid 1000", id)
	for _, owner := range []string{"uid 0", "uid 1001", ""} {
		_, get := b.Get(t.Context(), owner, id)
		_, wait := b.Wait(t.Context(), owner, id)
		_, cancel := b.Cancel(t.Context(), owner, id)
		_, events := b.Events(t.Context(), owner, id)
		_, never := b.Get(t.Context(), owner, "job_never")
		for _, err := range []error{get, wait, cancel, events} {
			assert.Equal(t, never, err, "it must look like one that never was")
			assert.Equal(t, policy.CodeNotFound, codeOf(err))
		}
	}
}

func TestCancel(t *testing.T) {
	for _, row := range []struct {
		name, code string
		when       policy.Status
		want       policy.Status
		runs       int64
	}{
		{"a queued job never runs", "print", policy.Queued, policy.Cancelled, 1},
		{"a running job is killed", "hold", policy.Running, policy.Cancelled, 1},
		{"a job cancelled while it starts is cancelled, not an error", "error on cancel", policy.Running, policy.Cancelled, 1},
		{"a finished job stays as it is", "print", policy.Succeeded, policy.Succeeded, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := open(t, nil)
			if row.when == policy.Queued {
				b.submit("a", "hold the worker")
				<-b.e.started
			}
			id := b.submit("a", row.code)
			switch row.when {
			case policy.Running:
				<-b.e.started
			case policy.Succeeded:
				b.wait("a", id)
			default: // it is queued
			}
			waited := make(chan jobs.Job, 1)
			go func() {
				_, _ = b.Wait(t.Context(), "a", id)
				job, _ := b.Get(t.Context(), "a", id)
				waited <- job
			}()
			_, err := b.Cancel(t.Context(), "a", id)
			require.NoError(t, err)
			job := <-waited
			assert.Equal(t, row.want, job.Status)
			require.NotNil(t, job.Result)
			assert.Equal(t, row.want, job.Result.Status)
			_, err = b.Cancel(t.Context(), "a", id)
			assert.NoError(t, err, "cancelling twice is no error")
			assert.Equal(t, row.runs, b.e.runs.Load())
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	b := open(t, nil)
	id := b.submit("a", "hold")
	<-b.e.started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	job, err := b.Wait(ctx, "a", id)
	assert.NoError(t, err)
	assert.Equal(t, policy.Running, job.Status)
}

func TestManyCallersAtOnce(t *testing.T) {
	b := open(t, func(c *jobs.Config) {
		c.Workers, c.MaxQueued, c.MaxQueuedPerOwner, c.MaxFinished = 4, 1000, 1000, 1000
	})
	var wg sync.WaitGroup
	for i := range 8 {
		owner := fmt.Sprint("uid ", i)
		wg.Go(func() {
			for i := range 20 {
				code := fmt.Sprintf("%s/%d", owner, i)
				id := b.submit(owner, code)
				if i%3 == 0 {
					_, err := b.Cancel(t.Context(), owner, id)
					assert.NoError(t, err)
				}
				job := b.wait(owner, id)
				if job.Status == policy.Succeeded {
					assert.Equal(t, code, job.Result.Stdout)
				} else {
					assert.Equal(t, policy.Cancelled, job.Status)
				}
			}
		})
	}
	wg.Wait()
	list, next, err := b.List(t.Context(), "uid 3", jobs.ListOptions{Limit: 5})
	require.NoError(t, err)
	assert.Len(t, list, 5)
	assert.NotEmpty(t, next)
	assert.Nil(t, list[0].Result)
}
