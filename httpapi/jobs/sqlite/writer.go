package sqlite

import (
	"context"
	"errors"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// maxBatch bounds what one commit holds.
const maxBatch = 256

// op is one change. run may be tried again in another transaction after a
// rollback. Where it refuses (a *policy.Error or ErrLost) it has written nothing.
type op struct {
	name     string
	run      func(*conn) error
	onCommit func() // optional; in the writer, before the next transaction
	onUndo   func() // optional
	err      error
	done     chan struct{}
}

// do has an op written, and waits until it is on the disk. The context counts
// until the writer has it.
func (q *Queue) do(ctx context.Context, o *op) error {
	o.done = make(chan struct{})
	select {
	case <-q.closing:
		return errClosed()
	default:
	}
	select {
	case q.ops <- o:
	case <-q.closing:
		return errClosed()
	case <-ctx.Done():
		return &policy.Error{Code: policy.CodeUnavailable, Message: "the store of jobs is slow", Step: "jobs." + o.name, Err: ctx.Err()}
	}
	select {
	case <-o.done:
		return o.err
	case <-q.stopped:
	}
	select {
	case <-o.done:
		return o.err
	default: // it came after the last commit
		return errClosed()
	}
}

func errClosed() error {
	return &policy.Error{Code: policy.CodeUnavailable, Message: "the daemon is shutting down"}
}

// write is the one goroutine that changes the database. What comes while a commit
// waits for the disk goes into the next one; no commit waits for more.
func (q *Queue) write() {
	defer close(q.stopped)
	for {
		select {
		case o := <-q.ops:
			q.commit(q.gather(o))
		case <-q.closing:
			for {
				select {
				case o := <-q.ops:
					q.commit(q.gather(o))
				default:
					return
				}
			}
		}
	}
}

func (q *Queue) gather(first *op) []*op {
	batch := []*op{first}
	for len(batch) < maxBatch {
		select {
		case o := <-q.ops:
			batch = append(batch, o)
		default:
			return batch
		}
	}
	return batch
}

// commit writes a batch. Where one of it fails, each is tried alone: a change that
// cannot be made must not take others with it.
func (q *Queue) commit(batch []*op) {
	blame, err := q.transact(batch)
	if err != nil && blame && len(batch) > 1 {
		for _, o := range batch {
			q.commit([]*op{o})
		}
		return
	}
	for _, o := range batch {
		if err != nil {
			o.err = q.typed(o.name, err)
		} else if o.err == nil && o.onCommit != nil {
			o.onCommit()
		}
		close(o.done)
	}
}

// transact says with an error whether one op is to blame for it, and not the
// database.
func (q *Queue) transact(batch []*op) (blame bool, err error) {
	err = q.writer.guard(func() error {
		if _, err := q.writer.exec("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		for _, o := range batch {
			o.err = o.run(q.writer)
			var refusal *policy.Error
			if o.err != nil && !errors.As(o.err, &refusal) && !errors.Is(o.err, jobs.ErrLost) {
				blame = true
				return o.err
			}
		}
		_, err := q.writer.exec("COMMIT")
		return err
	})
	if err == nil {
		return false, nil
	}
	for _, o := range batch {
		if o.onUndo != nil {
			o.onUndo()
		}
	}
	undo := q.writer.guard(func() error {
		if q.writer.db.GetAutocommit() {
			return nil // SQLite rolled back by itself
		}
		_, err := q.writer.exec("ROLLBACK")
		return err
	})
	return blame, errors.Join(err, undo)
}
