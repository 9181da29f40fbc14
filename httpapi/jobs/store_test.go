package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// script is an executor that does what the code says.
type script struct {
	started chan string
	release chan struct{}
	runs    atomic.Int64
}

func newScript() *script {
	return &script{started: make(chan string, 1000), release: make(chan struct{})}
}

func (s *script) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	s.runs.Add(1)
	s.started <- req.Code
	switch {
	case strings.HasPrefix(req.Code, "hold"):
		select {
		case <-s.release:
		case <-ctx.Done():
			return &policy.Result{Status: policy.Cancelled}, nil
		}
	case req.Code == "error on cancel":
		<-ctx.Done()
		return nil, fmt.Errorf("start: %w", ctx.Err())
	case req.Code == "fail":
		return nil, &policy.Error{Code: policy.CodeSetup, Step: "pivot"}
	case req.Code == "panic":
		panic("boom")
	case req.Code == "nothing":
		return nil, nil
	}
	return &policy.Result{Status: policy.Succeeded, Stdout: req.Code}, nil
}

func open(t *testing.T, e policy.Executor, edit func(*Config)) *Store {
	t.Helper()
	cfg := Config{Executor: e, Workers: 1, MaxQueued: 10, MaxQueuedPerUID: 10, MaxFinished: 10, MaxFinishedBytes: 1 << 20, MaxAge: time.Minute}
	if edit != nil {
		edit(&cfg)
	}
	s, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_ = s.Close(ctx) // held runs are killed on purpose
	})
	return s
}

func submit(t *testing.T, s *Store, owner uint32, code string) string {
	t.Helper()
	r, err := s.Reserve(owner)
	require.NoError(t, err)
	job, err := r.Submit(policy.Request{Code: code})
	require.NoError(t, err)
	assert.Equal(t, policy.Queued, job.Status)
	r.Release() // must do nothing now
	return job.ID
}

func wait(t *testing.T, s *Store, owner uint32, id string) Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	job, err := s.Wait(ctx, owner, id)
	require.NoError(t, err)
	require.NoError(t, ctx.Err(), "job %s did not finish", id)
	return job
}

func codeOf(err error) policy.Code {
	var e *policy.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestAJobEndsWithWhatItsExecutorGave(t *testing.T) {
	for _, row := range []struct {
		name, code string
		status     policy.Status
		err        policy.Code
	}{
		{"a result is kept", "print", policy.Succeeded, ""},
		{"a refusal is kept", "fail", policy.Errored, policy.CodeSetup},
		{"a panic is an internal error", "panic", policy.Errored, policy.CodeInternal},
		{"neither result nor error is an internal error", "nothing", policy.Errored, policy.CodeInternal},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := open(t, newScript(), nil)
			for range 2 { // twice: the worker must have lived on
				job := wait(t, s, 1, submit(t, s, 1, row.code))
				assert.Equal(t, row.status, job.Status)
				assert.Equal(t, row.err, codeOf(job.Err))
				assert.Equal(t, row.err == "", job.Result != nil)
				assert.False(t, job.Started.Before(job.Created))
				assert.False(t, job.Finished.Before(job.Started))
			}
		})
	}
}

func TestJobsRunInTheirOrderAndNoMoreThanWorkers(t *testing.T) {
	e := newScript()
	s := open(t, e, nil)
	first := submit(t, s, 1, "hold 1")
	second := submit(t, s, 1, "hold 2")
	assert.Equal(t, "hold 1", <-e.started)
	job, err := s.Get(1, first)
	require.NoError(t, err)
	assert.Equal(t, policy.Running, job.Status)
	job, err = s.Get(1, second)
	require.NoError(t, err)
	assert.Equal(t, policy.Queued, job.Status)
	assert.EqualValues(t, 1, e.runs.Load())
	close(e.release)
	job = wait(t, s, 1, second)
	assert.Equal(t, "hold 2", job.Result.Stdout)
	assert.Greater(t, job.Result.Metrics.QueueTimeMS, 0.0)
}

func TestAnotherCallersJobDoesNotExist(t *testing.T) {
	s := open(t, newScript(), nil)
	id := submit(t, s, 1000, "print")
	wait(t, s, 1000, id)
	for _, owner := range []uint32{0, 1001} {
		_, get := s.Get(owner, id)
		_, wait := s.Wait(context.Background(), owner, id)
		_, cancel := s.Cancel(owner, id)
		_, never := s.Get(owner, "job_never")
		for _, err := range []error{get, wait, cancel} {
			assert.Equal(t, never, err, "it must look like one that never was")
			assert.Equal(t, policy.CodeNotFound, codeOf(err))
		}
	}
}

func TestIDsAreLongAndNeverTwice(t *testing.T) {
	s := open(t, newScript(), nil)
	seen := map[string]bool{}
	for range 50 {
		id := submit(t, s, 1, "print")
		assert.Len(t, id, len("job_")+26)
		assert.False(t, seen[id])
		seen[id] = true
		wait(t, s, 1, id)
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
			e := newScript()
			s := open(t, e, nil)
			if row.when == policy.Queued {
				submit(t, s, 1, "hold the worker")
				<-e.started
			}
			id := submit(t, s, 1, row.code)
			switch row.when {
			case policy.Running:
				<-e.started
			case policy.Succeeded:
				wait(t, s, 1, id)
			}
			_, err := s.Cancel(1, id)
			require.NoError(t, err)
			job := wait(t, s, 1, id)
			assert.Equal(t, row.want, job.Status)
			require.NotNil(t, job.Result)
			assert.Equal(t, row.want, job.Result.Status)
			_, err = s.Cancel(1, id)
			assert.NoError(t, err, "cancelling twice is no error")
			assert.Equal(t, row.runs, e.runs.Load())
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	e := newScript()
	s := open(t, e, nil)
	id := submit(t, s, 1, "hold")
	<-e.started
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	job, err := s.Wait(ctx, 1, id)
	assert.NoError(t, err)
	assert.Equal(t, policy.Running, job.Status)
}

func TestManyCallersAtOnce(t *testing.T) {
	s := open(t, newScript(), func(c *Config) { c.Workers, c.MaxQueued, c.MaxQueuedPerUID, c.MaxFinished = 4, 1000, 1000, 1000 })
	var wg sync.WaitGroup
	for owner := range uint32(8) {
		wg.Go(func() {
			for i := range 20 {
				id := submit(t, s, owner, fmt.Sprintf("%d/%d", owner, i))
				if i%3 == 0 {
					_, err := s.Cancel(owner, id)
					assert.NoError(t, err)
				}
				job := wait(t, s, owner, id)
				if job.Status == policy.Succeeded {
					assert.Equal(t, fmt.Sprintf("%d/%d", owner, i), job.Result.Stdout)
				} else {
					assert.Equal(t, policy.Cancelled, job.Status)
				}
			}
		})
	}
	wg.Wait()
}
