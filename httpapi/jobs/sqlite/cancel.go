package sqlite

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// Cancel ends a job that waits and marks one that runs: see jobs.Queue.
func (q *Queue) Cancel(ctx context.Context, owner jobs.Owner, id string) (jobs.Record, error) {
	marked := false
	err := q.do(ctx, &op{
		name: "cancel",
		run: func(c *conn) error {
			var seq int64
			var tag, cost float64
			var r jobs.Record
			err := c.query("SELECT "+columns+", seq, tag, cost FROM jobs WHERE id = ? AND owner = ?", func(s *sqlite3.Stmt) (err error) {
				seq, tag, cost = s.ColumnInt64(9), tagOf(s.ColumnFloat(10)), tagOf(s.ColumnFloat(11))
				r, err = record(s)
				return err
			}, id, owner)
			switch {
			case err != nil:
				return err
			case seq == 0:
				return jobs.NotFound()
			case r.Status == policy.Running:
				marked = true
				_, err = c.exec("UPDATE jobs SET cancelled = 1 WHERE seq = ?", seq)
				return err
			case r.Status != policy.Queued:
				return nil
			}
			if err := q.decide(c, seq, jobs.WithoutRun(id, policy.ReasonCancelled, r.Attempt)); err != nil {
				return err
			}
			return giveBackTurn(c, owner, tag, cost)
		},
		onCommit: func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			if held := q.leases[id]; marked && held != nil {
				held.cancelled = true
			}
		},
	})
	if err != nil {
		return jobs.Record{}, err
	}
	return q.Get(ctx, owner, id)
}

// giveBackTurn moves an owner's jobs behind a cancelled one to where they would be
// without it: no penalty for cancelling, and nothing gained by it either.
func giveBackTurn(c *conn, owner string, tag, cost float64) error {
	_, err := c.exec("UPDATE jobs INDEXED BY jobs_waiting SET tag = max(tag - ?, ?) WHERE owner = ? AND status = 'queued' AND tag > ?", cost, tag, owner, tag)
	if err != nil {
		return err
	}
	_, err = c.exec("UPDATE owners SET next = max(next - ?, ?) WHERE owner = ? AND next > ?", cost, tag, owner, tag)
	return err
}
