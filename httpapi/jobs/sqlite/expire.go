package sqlite

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// sweepMost bounds how many jobs of each kind one Expire looks at.
const sweepMost = 256

// Expire does what time asks for: see jobs.Queue.
func (q *Queue) Expire(ctx context.Context, b jobs.Bounds) (jobs.Expired, error) {
	var out jobs.Expired
	var lost []jobs.Lease
	err := q.do(ctx, &op{
		name: "expire",
		run: func(c *conn) error {
			out, lost = jobs.Expired{}, nil
			for _, step := range []func() error{
				func() error { return q.expireWaiting(c, &out) },
				func() (err error) { lost, err = q.expireLeases(c, b, &out); return err },
				func() error { return q.forgetOld(c, b, &out) },
				func() error { return q.forgetMost(c, b, &out) },
				func() error { return forgetOwners(c) },
				func() error { return giveBackPages(c) },
			} {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		},
		onCommit: func() {
			for _, l := range lost {
				q.drop(l)
			}
		},
	})
	if err != nil {
		return jobs.Expired{}, err
	}
	return out, nil
}

type found struct {
	jobs.Ref
	seq       int64
	attempt   int
	cancelled bool
}

// find lists rows by a condition that this index answers: the planner has no
// figures to choose by, and would at times rather sort all that waits.
func find(c *conn, index, where string, args ...any) (list []found, err error) {
	err = c.query("SELECT owner, id, seq, attempt, cancelled FROM jobs INDEXED BY "+index+" WHERE "+where, func(s *sqlite3.Stmt) error {
		list = append(list, found{
			jobs.Ref{Owner: s.ColumnText(0), ID: s.ColumnText(1)}, s.ColumnInt64(2), int(s.ColumnInt64(3)), s.ColumnInt64(4) != 0,
		})
		return nil
	}, args...)
	return list, err
}

func (q *Queue) expireWaiting(c *conn, out *jobs.Expired) error {
	rows, err := find(c, "jobs_due", "status = 'queued' AND due <= ? ORDER BY due LIMIT ?", q.now(), sweepMost)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := q.decide(c, r.seq, jobs.WithoutRun(r.ID, policy.ReasonExpired, r.attempt)); err != nil {
			return err
		}
		out.Ended = append(out.Ended, r.Ref)
	}
	out.More = out.More || len(rows) == sweepMost
	return nil
}

// expireLeases decides on jobs that run and that nobody has: their lease ran out,
// or was of a process before this one.
func (q *Queue) expireLeases(c *conn, b jobs.Bounds, out *jobs.Expired) (lost []jobs.Lease, err error) {
	// As many as there are workers, and once after a restart those of before.
	rows, err := find(c, "jobs_running", "status = 'running' ORDER BY seq")
	if err != nil {
		return nil, err
	}
	now := q.clock.Elapsed()
	for _, r := range rows {
		l := jobs.Lease{ID: r.ID, Attempt: r.attempt}
		if held, ok := q.held(l); ok && held.until > now {
			continue
		}
		lost = append(lost, l)
		reason := policy.Reason("")
		switch {
		case r.cancelled:
			reason = policy.ReasonCancelled
		case r.attempt >= b.MaxAttempts:
			reason = policy.ReasonRestarted
		}
		if reason == "" {
			_, err = c.exec("UPDATE jobs SET status = 'queued' WHERE seq = ?", r.seq)
			out.Requeued = append(out.Requeued, r.Ref)
		} else {
			err = q.decide(c, r.seq, jobs.WithoutRun(r.ID, reason, r.attempt))
			out.Ended = append(out.Ended, r.Ref)
		}
		if err != nil {
			return nil, err
		}
	}
	return lost, nil
}

func (q *Queue) forgetOld(c *conn, b jobs.Bounds, out *jobs.Expired) error {
	n, err := c.exec(`DELETE FROM jobs WHERE seq IN (SELECT seq FROM jobs INDEXED BY jobs_ended
		WHERE status NOT IN ('queued', 'running') AND ended <= ? ORDER BY ended, seq LIMIT ?)`,
		max(q.now()-b.MaxAge.Microseconds(), 0), sweepMost)
	out.Forgotten += int(n)
	out.More = out.More || n == sweepMost
	return err
}

// forgetMost holds the store to its count and size: the oldest of the owner who
// keeps most goes first, so who floods it pushes out his own.
func (q *Queue) forgetMost(c *conn, b jobs.Bounds, out *jobs.Expired) error {
	for range sweepMost {
		var count, bytes int64
		err := c.query("SELECT total(ended), total(bytes) FROM owners", func(s *sqlite3.Stmt) error {
			count, bytes = s.ColumnInt64(0), s.ColumnInt64(1)
			return nil
		})
		if err != nil || count <= int64(b.MaxFinished) && (bytes <= b.MaxFinishedBytes || count <= 1) {
			return err
		}
		n, err := c.exec(`DELETE FROM jobs WHERE seq = (SELECT seq FROM jobs INDEXED BY jobs_ended_of
			WHERE status NOT IN ('queued', 'running') AND owner = (SELECT owner FROM owners WHERE ended > 0
				ORDER BY ended * 1.0 / ? + bytes * 1.0 / ? DESC, owner LIMIT 1)
			ORDER BY ended, seq LIMIT 1)`, b.MaxFinished, b.MaxFinishedBytes)
		if err != nil || n == 0 {
			return err
		}
		out.Forgotten++
	}
	out.More = true
	return nil
}

// forgetOwners drops owners of whom there is nothing to count and whose next tag
// virtual time has passed.
func forgetOwners(c *conn) error {
	_, err := c.exec("DELETE FROM owners WHERE queued = 0 AND running = 0 AND ended = 0 AND next <= (SELECT virtual FROM clock)")
	return err
}

// giveBackPages shrinks the file once more than half of it, and more than 8 MiB,
// is free. Less is used again.
func giveBackPages(c *conn) error {
	var free, all int64
	for name, into := range map[string]*int64{"freelist_count": &free, "page_count": &all} {
		err := c.query("PRAGMA "+name, func(s *sqlite3.Stmt) error {
			*into = s.ColumnInt64(0)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if free < 2048 || free < all/2 {
		return nil
	}
	return c.query("PRAGMA incremental_vacuum(1024)", nil)
}
