package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/policy"
)

// remembered is how long a failure counts although a small change succeeds.
const remembered = 10 * time.Second

// trouble is what went wrong. The Queue's mu guards it.
type trouble struct {
	damage error // stays
	last   error
	at     time.Duration // of clock.Elapsed
}

// Check says whether the store can be written: see jobs.Queue.
func (q *Queue) Check(ctx context.Context) error {
	if err := q.recent(); err != nil {
		return err
	}
	if err := q.room(); err != nil {
		return err
	}
	return q.do(ctx, &op{name: "check", run: func(c *conn) error {
		_, err := c.exec("UPDATE clock SET virtual = virtual")
		return err
	}})
}

func (q *Queue) recent() error {
	now := q.clock.Elapsed()
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.trouble.damage != nil:
		return q.trouble.damage
	case q.trouble.last != nil && now-q.trouble.at < remembered:
		return q.trouble.last
	}
	return nil
}

// note keeps an error that says something of the store, and not of what was asked.
func (q *Queue) note(e *policy.Error, damaged bool) {
	now := q.clock.Elapsed()
	q.mu.Lock()
	defer q.mu.Unlock()
	if damaged {
		q.trouble.damage = e
	}
	q.trouble.last, q.trouble.at = e, now
}

// isDamage tells a store that holds what it should not from one that fails for now.
func isDamage(err error) bool {
	var broken *brokenError
	return errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB) || errors.As(err, &broken)
}
