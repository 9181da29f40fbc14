package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// Claim gives a job to a worker: see jobs.Queue. A row that holds what this
// program does not write is decided as our failure, or it would be in the way of
// all behind it.
func (q *Queue) Claim(ctx context.Context, d time.Duration) (*jobs.Claimed, error) {
	var got *jobs.Claimed
	err := q.do(ctx, &op{
		name: "claim",
		run: func(c *conn) (err error) {
			for {
				var seq int64
				got, seq, err = q.claim(c)
				var bad *policy.Error
				if !errors.As(err, &bad) {
					break
				}
				if err := q.decide(c, seq, jobs.Verdict{Status: policy.Errored, Body: damaged}); err != nil {
					return err
				}
			}
			if got != nil && err == nil {
				q.mu.Lock()
				q.leases[got.ID] = &lease{attempt: got.Attempt, until: q.clock.Elapsed() + d}
				q.mu.Unlock()
			}
			return err
		},
		onUndo: func() {
			if got != nil {
				q.drop(got.Lease())
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return got, nil
}

// damaged is the verdict on a row that cannot be read.
var damaged = []byte(`{"error":{"code":"internal","message":"the store of jobs does not hold this job as it was submitted"}}`)

func (q *Queue) claim(c *conn) (got *jobs.Claimed, seq int64, err error) {
	next, err := q.next(c)
	if err != nil || next == nil {
		return nil, 0, err
	}
	seq = next.seq
	now := q.now()
	var since int64
	err = c.query("SELECT "+columns+", since FROM jobs WHERE seq = ?", func(s *sqlite3.Stmt) error {
		since = s.ColumnInt64(9)
		r, err := record(s)
		got = &jobs.Claimed{Record: r}
		return err
	}, seq)
	if err != nil || got == nil {
		return nil, seq, err
	}
	err = c.query("SELECT body FROM requests WHERE seq = ?", func(s *sqlite3.Stmt) error {
		got.Request = s.ColumnBlob(0, nil)
		return nil
	}, seq)
	if err != nil {
		return nil, seq, err
	}
	if got.Request == nil || len(got.Request) > jobs.MaxRequestBytes || got.Attempt >= maxAttempt {
		return nil, seq, rowError(got.ID, "request")
	}
	got.Status, got.Started, got.Attempt = policy.Running, q.clock.Wall(), got.Attempt+1
	got.Waited = time.Duration(min(max(now-since, 0), int64(365*24*time.Hour/time.Microsecond))) * time.Microsecond
	if _, err = c.exec("UPDATE jobs SET status = 'running', attempt = ?, started = ? WHERE seq = ?", got.Attempt, micros(got.Started), seq); err != nil {
		return nil, seq, err
	}
	_, err = c.exec("UPDATE clock SET virtual = max(virtual, ?)", next.tag)
	return got, seq, err
}

// Heartbeat extends a lease: see jobs.Queue. Leases of this process are in its
// memory, so nothing is written.
func (q *Queue) Heartbeat(_ context.Context, l jobs.Lease, d time.Duration) (cancelled bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	held, ok := q.leases[l.ID]
	if !ok || held.attempt != l.Attempt {
		return false, jobs.ErrLost
	}
	held.until = q.clock.Elapsed() + d
	return held.cancelled, nil
}

// Complete keeps a verdict: see jobs.Queue.
func (q *Queue) Complete(ctx context.Context, l jobs.Lease, v jobs.Verdict) error {
	if len(v.Body) == 0 || len(v.Body) > jobs.MaxVerdictBytes || !jobs.Ended(v.Status) {
		return &policy.Error{Code: policy.CodeInternal, Step: "jobs.complete", Err: fmt.Errorf("no verdict: %d bytes of %q", len(v.Body), v.Status)}
	}
	return q.do(ctx, &op{
		name: "complete",
		run: func(c *conn) error {
			if _, ok := q.held(l); !ok {
				return jobs.ErrLost
			}
			var seq int64
			err := c.query("SELECT seq FROM jobs WHERE id = ? AND status = 'running' AND attempt = ?", func(s *sqlite3.Stmt) error {
				seq = s.ColumnInt64(0)
				return nil
			}, l.ID, l.Attempt)
			if err != nil {
				return err
			}
			if seq == 0 {
				q.drop(l) // decided by a commit that seemed to fail
				return jobs.ErrLost
			}
			return q.decide(c, seq, v)
		},
		onCommit: func() { q.drop(l) },
	})
}

// decide writes the one verdict on a job.
func (q *Queue) decide(c *conn, seq int64, v jobs.Verdict) error {
	n, err := c.exec("UPDATE jobs SET status = ?, finished = ?, ended = ?, size = ? WHERE seq = ? AND status IN ('queued', 'running')",
		string(v.Status), micros(q.clock.Wall()), q.now(), len(v.Body), seq)
	if err == nil && n != 1 {
		err = jobs.ErrLost
	}
	if err != nil {
		return err
	}
	if _, err := c.exec("INSERT OR REPLACE INTO verdicts (seq, body) VALUES (?, ?)", seq, v.Body); err != nil {
		return err
	}
	_, err = c.exec("DELETE FROM requests WHERE seq = ?", seq)
	return err
}

func (q *Queue) held(l jobs.Lease) (lease, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	held, ok := q.leases[l.ID]
	if !ok || held.attempt != l.Attempt {
		return lease{}, false
	}
	return *held, true
}

// drop forgets a lease, and none that the same job got since.
func (q *Queue) drop(l jobs.Lease) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if held := q.leases[l.ID]; held != nil && held.attempt == l.Attempt {
		delete(q.leases, l.ID)
	}
}
