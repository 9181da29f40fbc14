package sqlite

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// read asks by a connection of its own, so it neither waits for commits nor fails
// when these do.
func (q *Queue) read(ctx context.Context, op string, f func(*conn) error) error {
	q.reading.Lock()
	defer q.reading.Unlock()
	select {
	case <-q.closing:
		return errClosed()
	default:
	}
	if err := ctx.Err(); err != nil {
		return &policy.Error{Code: policy.CodeUnavailable, Message: "the store of jobs is slow", Step: "jobs." + op, Err: err}
	}
	return q.typed(op, q.reader.guard(func() error { return f(q.reader) }))
}

// Get gives a job with its verdict: see jobs.Queue.
func (q *Queue) Get(ctx context.Context, owner jobs.Owner, id string) (r jobs.Record, err error) {
	err = q.read(ctx, "get", func(c *conn) error {
		found := false
		err := c.query("SELECT "+columns+", body FROM jobs LEFT JOIN verdicts USING (seq) WHERE id = ? AND owner = ?", func(s *sqlite3.Stmt) (err error) {
			found = true
			if r, err = record(s); err != nil || !jobs.Ended(r.Status) {
				return err
			}
			raw := s.ColumnRawBlob(9)
			if len(raw) == 0 || len(raw) > jobs.MaxVerdictBytes {
				return rowError(id, "verdict")
			}
			r.Verdict = append([]byte(nil), raw...)
			return nil
		}, id, owner)
		if err == nil && !found {
			return jobs.NotFound()
		}
		return err
	})
	if err != nil {
		return jobs.Record{}, err
	}
	return r, nil
}

// Peek gives a job without its verdict: see jobs.Queue. SQLite tells the length of a
// blob without reading it.
func (q *Queue) Peek(ctx context.Context, owner jobs.Owner, id string) (r jobs.Record, err error) {
	err = q.read(ctx, "peek", func(c *conn) error {
		found := false
		err := c.query("SELECT "+columns+", length(body) FROM jobs LEFT JOIN verdicts USING (seq) WHERE id = ? AND owner = ?", func(s *sqlite3.Stmt) (err error) {
			found = true
			r, err = record(s)
			r.Size = int(min(max(s.ColumnInt64(9), 0), jobs.MaxVerdictBytes))
			return err
		}, id, owner)
		if err == nil && !found {
			return jobs.NotFound()
		}
		return err
	})
	if err != nil {
		return jobs.Record{}, err
	}
	return r, nil
}

// List gives a page of an owner's jobs: see jobs.Queue. The cursor is the id of the
// last job of a page.
func (q *Queue) List(ctx context.Context, owner jobs.Owner, o jobs.ListOptions) (page []jobs.Record, next string, err error) {
	if o.Limit < 0 || o.Limit > jobs.MaxList {
		return nil, "", policy.Invalid("limit", "is from 1 to %d", jobs.MaxList)
	}
	if o.Limit == 0 {
		o.Limit = jobs.MaxList
	}
	if o.Status != "" && o.Status != policy.Queued && o.Status != policy.Running && !jobs.Ended(o.Status) {
		return nil, "", policy.Invalid("status", "is none that a job has")
	}
	err = q.read(ctx, "list", func(c *conn) error {
		before := int64(1<<63 - 1)
		if o.After != "" {
			before = 0
			err := c.query("SELECT seq FROM jobs WHERE id = ? AND owner = ?", func(s *sqlite3.Stmt) error {
				before = s.ColumnInt64(0)
				return nil
			}, o.After, owner)
			if err != nil {
				return err
			}
			if before == 0 {
				return policy.Invalid("after", "is no job of this caller, or one that has been forgotten")
			}
		}
		return c.query("SELECT "+columns+` FROM jobs INDEXED BY jobs_owner
			WHERE owner = ?1 AND seq < ?2 AND (?3 = '' OR status = ?3) ORDER BY seq DESC LIMIT ?4`, func(s *sqlite3.Stmt) error {
			r, err := record(s)
			page = append(page, r)
			return err
		}, owner, before, string(o.Status), o.Limit+1)
	})
	if err != nil {
		return nil, "", err
	}
	if len(page) > o.Limit {
		page = page[:o.Limit]
		next = page[o.Limit-1].ID
	}
	return page, next, nil
}

// Depth counts the jobs that wait: see jobs.Queue.
func (q *Queue) Depth(ctx context.Context, owner jobs.Owner) (all, own int, err error) {
	err = q.read(ctx, "depth", func(c *conn) error {
		return c.query("SELECT total(queued), total(queued) FILTER (WHERE owner = ?) FROM owners", func(s *sqlite3.Stmt) error {
			all, own = int(s.ColumnInt64(0)), int(s.ColumnInt64(1))
			return nil
		}, owner)
	})
	return all, own, err
}
