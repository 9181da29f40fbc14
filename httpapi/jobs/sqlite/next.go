package sqlite

import (
	"errors"

	"github.com/ncruces/go-sqlite3"
)

// place is where a job stands in the queue: by its tag, and the older one first
// where two have the same.
type place struct {
	tag float64
	seq int64
}

func (p place) before(o place) bool { return p.tag < o.tag || p.tag == o.tag && p.seq < o.seq }

// errEnough ends a query before its last row.
var errEnough = errors.New("enough")

// next finds the job to claim: the first in the queue of those whose deadline has
// not passed and whose owner may have one more running.
//
// It goes through the owners who wait, by the place of the first job of each, and
// never through their jobs: the thousands of one who has all that he may have are
// one row. It passes over those owners, as many at most as there are workers, and
// goes on behind a first job whose deadline has passed, until the next Expire.
func (q *Queue) next(c *conn) (best *place, err error) {
	now := q.now()
	err = c.query(`SELECT owner, head, first FROM owners INDEXED BY owners_waiting
		WHERE queued > 0 AND running < most ORDER BY head, first`, func(s *sqlite3.Stmt) error {
		head := place{tagOf(s.ColumnFloat(1)), s.ColumnInt64(2)}
		if best != nil && !head.before(*best) {
			return errEnough
		}
		return c.query(`SELECT tag, seq FROM jobs INDEXED BY jobs_waiting
			WHERE status = 'queued' AND owner = ? AND due > ? ORDER BY tag, seq LIMIT 1`, func(s *sqlite3.Stmt) error {
			if p := (place{tagOf(s.ColumnFloat(0)), s.ColumnInt64(1)}); best == nil || p.before(*best) {
				best = &p
			}
			return nil
		}, s.ColumnText(0), now)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return best, nil
}
