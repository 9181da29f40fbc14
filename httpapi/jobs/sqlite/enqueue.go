package sqlite

import (
	"bytes"
	"context"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// Enqueue keeps a job: see jobs.Queue.
func (q *Queue) Enqueue(ctx context.Context, j jobs.Entry) (r jobs.Record, existed bool, err error) {
	if err := checkNew(j); err != nil {
		return jobs.Record{}, false, err
	}
	full := q.room()
	err = q.do(ctx, &op{name: "enqueue", run: func(c *conn) (err error) {
		if r, existed, err = sameKey(c, j); err != nil || existed {
			return err
		}
		if full != nil {
			return full
		}
		tag, err := takeTag(c, j.Owner, 1/j.Weight, j.AtOnce)
		if err != nil {
			return err
		}
		wall, now := micros(q.clock.Wall()), q.now()
		var key, digest any
		if j.Key != "" {
			key, digest = j.Key, j.Digest[:]
		}
		r = jobs.Record{
			ID: j.ID, Owner: j.Owner, Status: policy.Queued,
			Created: instant(wall), Expires: instant(later(wall, j.TTL)),
		}
		_, err = c.exec(`INSERT INTO jobs (id, owner, status, tag, cost, created, expires, since, due, key, digest)
			VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.ID, j.Owner, tag, 1/j.Weight, wall, micros(r.Expires), now, later(now, j.TTL), key, digest)
		if err != nil {
			return err
		}
		_, err = c.exec("INSERT INTO requests (seq, body) VALUES (?, ?)", c.db.LastInsertRowID(), j.Request)
		return err
	}})
	return r, existed, err
}

// checkNew keeps the caller's mistakes from becoming the database's errors.
func checkNew(j jobs.Entry) error {
	for _, bad := range []struct {
		field string
		bad   bool
	}{
		{"id", j.ID == "" || len(j.ID) > jobs.MaxIDBytes},
		{"owner", j.Owner == "" || len(j.Owner) > jobs.MaxOwnerBytes},
		{"weight", !(j.Weight >= jobs.MinWeight && j.Weight <= jobs.MaxWeight)},
		{"at_once", j.AtOnce < 1 || j.AtOnce > jobs.MaxAtOnce},
		{"Idempotency-Key", len(j.Key) > jobs.MaxKeyBytes},
		{"ttl", j.TTL <= 0},
		{"request", len(j.Request) == 0 || len(j.Request) > jobs.MaxRequestBytes},
	} {
		if bad.bad {
			return policy.Invalid(bad.field, "of a job is missing or out of its bounds")
		}
	}
	return nil
}

// Find gives the job of a key: see jobs.Queue.
func (q *Queue) Find(ctx context.Context, owner jobs.Owner, key string, digest [32]byte) (found *jobs.Record, err error) {
	err = q.read(ctx, "find", func(c *conn) error {
		r, existed, err := sameKey(c, jobs.Entry{Owner: owner, Key: key, Digest: digest})
		if err == nil && existed {
			found = &r
		}
		return err
	})
	return found, err
}

// sameKey looks for a job that came with this key before.
func sameKey(c *conn, j jobs.Entry) (r jobs.Record, existed bool, err error) {
	if j.Key == "" {
		return r, false, nil
	}
	same := false
	err = c.query("SELECT "+columns+", digest FROM jobs WHERE owner = ? AND key = ?", func(s *sqlite3.Stmt) (err error) {
		existed, same = true, bytes.Equal(s.ColumnRawBlob(9), j.Digest[:])
		r, err = record(s)
		return err
	}, j.Owner, j.Key)
	if err == nil && existed && !same {
		return r, false, jobs.KeyConflict()
	}
	return r, existed, err
}

// takeTag gives a job of this cost its start tag, and the owner's next one a later
// one, and notes how many of the owner's may run at once.
func takeTag(c *conn, owner string, cost float64, atOnce int) (tag float64, err error) {
	tag, err = virtual(c)
	if err != nil {
		return 0, err
	}
	err = c.query("SELECT next FROM owners WHERE owner = ?", func(s *sqlite3.Stmt) error {
		tag = max(tag, tagOf(s.ColumnFloat(0)))
		return nil
	}, owner)
	if err != nil {
		return 0, err
	}
	_, err = c.exec(`INSERT INTO owners (owner, next, most) VALUES (?1, ?2, ?3)
		ON CONFLICT (owner) DO UPDATE SET next = excluded.next, most = excluded.most`, owner, tagOf(tag+cost), atOnce)
	return tag, err
}

// virtual is the queue's virtual time: the highest tag that was claimed.
func virtual(c *conn) (v float64, err error) {
	found := false
	err = c.query("SELECT virtual FROM clock", func(s *sqlite3.Stmt) error {
		v, found = tagOf(s.ColumnFloat(0)), true
		return nil
	})
	if err == nil && !found {
		err = fmt.Errorf("table clock is empty")
	}
	return v, err
}
