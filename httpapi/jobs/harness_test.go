package jobs_test

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

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/queuetest"
	"safe-exec/httpapi/jobs/sqlite"
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
	run := s.runs.Add(1)
	s.started <- req.Code
	req.Watch(policy.Event{Kind: policy.EventStarted})
	req.Watch(policy.Event{Kind: policy.EventStdout, Data: []byte(req.Code)})
	switch {
	case strings.HasPrefix(req.Code, "hold"):
		select {
		case <-s.release:
		case <-ctx.Done():
			return &policy.Result{Status: policy.Cancelled, Termination: policy.Termination{Reason: policy.ReasonCancelled}}, nil
		}
	case req.Code == "error on cancel":
		<-ctx.Done()
		return nil, fmt.Errorf("start: %w", ctx.Err())
	case req.Code == "fail":
		return nil, &policy.Error{Code: policy.CodeSetup, Step: "pivot", Message: "no jail", Err: errors.New("secret")}
	case req.Code == "killed at first" && run == 1:
		return nil, &policy.Error{Code: policy.CodeSetup, Step: "template", Message: "it was killed"}
	case req.Code == "full at first" && run == 1:
		return nil, &policy.Error{Code: policy.CodeBusy}
	case req.Code == "bad":
		return nil, policy.Invalid("code", "no")
	case req.Code == "forbidden":
		return nil, &policy.Error{Code: policy.CodeForbidden}
	case req.Code == "gone":
		return nil, &policy.Error{Code: policy.CodeUnavailable}
	case req.Code == "gone at first" && run == 1:
		return nil, &policy.Error{Code: policy.CodeUnavailable}
	case req.Code == "panic":
		panic("boom")
	case req.Code == "nothing":
		return nil, nil
	}
	return &policy.Result{Status: policy.Succeeded, Stdout: req.Code, Stderr: req.Input.Stdin}, nil
}

// bench is a store on a database of its own, with a clock that can be moved.
type bench struct {
	*jobs.Store
	t     *testing.T
	dir   string
	clock *queuetest.Clock
	queue jobs.Queue
	e     *script
	edit  func(*jobs.Config)
	again *again
}

// again is a queue in which the pause between two attempts is over as soon as it has
// begun, unless it holds.
type again struct {
	jobs.Queue
	clock  *queuetest.Clock
	pauses chan time.Duration // one for each lease that was given up
	holds  bool
	told   sync.Map
}

func (q *again) Heartbeat(ctx context.Context, l jobs.Lease, d time.Duration) (cancelled bool, err error) {
	cancelled, err = q.Queue.Heartbeat(ctx, l, d)
	if d >= time.Second { // leases of these tests are shorter
		if !q.holds {
			q.clock.Pass(d)
		}
		// It may begin twice: whoever keeps leases makes up for one that he kept just then.
		if _, again := q.told.LoadOrStore(l, true); !again {
			q.pauses <- d
		}
	}
	return cancelled, err
}

func open(t *testing.T, edit func(*jobs.Config)) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), clock: queuetest.NewClock(), e: newScript(), edit: edit}
	b.reopen()
	t.Cleanup(b.close)
	return b
}

// close is what a daemon's end does to what runs, if it may take no time.
func (b *bench) close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.Close(ctx) // what is held is killed on purpose
	assert.NoError(b.t, b.queue.Close())
}

func (b *bench) reopen() {
	b.t.Helper()
	var err error
	b.queue, err = sqlite.Open(b.dir, b.clock)
	require.NoError(b.t, err)
	b.again = &again{Queue: b.queue, clock: b.clock, pauses: make(chan time.Duration, 100)}
	cfg := jobs.Config{
		Executor: b.e, Queue: b.again, Workers: 1, MaxQueued: 10, MaxQueuedPerOwner: 10,
		MaxFinished: 100, MaxFinishedBytes: 1 << 20, MaxAge: time.Hour, Lease: 30 * time.Millisecond,
	}
	if b.edit != nil {
		b.edit(&cfg)
	}
	b.Store, err = jobs.New(cfg)
	require.NoError(b.t, err)
}

func (b *bench) submit(owner, code string) string {
	b.t.Helper()
	return b.submitted(owner, jobs.Submission{Request: policy.Request{Code: code}})
}

func (b *bench) submitted(owner string, sub jobs.Submission) string {
	b.t.Helper()
	r, err := b.Reserve(owner)
	require.NoError(b.t, err)
	job, existed, err := r.Submit(b.t.Context(), sub)
	require.NoError(b.t, err)
	assert.False(b.t, existed)
	assert.Equal(b.t, policy.Queued, job.Status)
	r.Release() // must do nothing now
	return job.ID
}

func (b *bench) wait(owner, id string) jobs.Job {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	job, err := b.Wait(ctx, owner, id)
	require.NoError(b.t, err)
	require.NoError(b.t, ctx.Err(), "job %s did not finish", id)
	if jobs.Ended(job.Status) {
		job, err = b.Get(ctx, owner, id)
		require.NoError(b.t, err)
	}
	return job
}

func codeOf(err error) policy.Code {
	var e *policy.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return policy.Code(fmt.Sprint(err))
}
