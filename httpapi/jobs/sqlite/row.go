package sqlite

import (
	"math"
	"time"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// columns are what record reads, in its order.
const columns = "id, owner, status, attempt, cancelled, created, started, finished, expires"

// record reads a row that begins with columns. What it holds may be anything.
func record(s *sqlite3.Stmt) (jobs.Record, error) {
	id := s.ColumnText(0)
	r := jobs.Record{
		ID: id, Owner: s.ColumnText(1), Status: policy.Status(s.ColumnText(2)),
		Attempt: int(s.ColumnInt64(3)), Cancelled: s.ColumnInt64(4) != 0,
		Created: instant(s.ColumnInt64(5)), Started: instant(s.ColumnInt64(6)),
		Finished: instant(s.ColumnInt64(7)), Expires: instant(s.ColumnInt64(8)),
	}
	switch {
	case id == "" || len(id) > jobs.MaxIDBytes:
		return r, rowError(id, "id")
	case r.Owner == "" || len(r.Owner) > jobs.MaxOwnerBytes:
		return r, rowError(id, "owner")
	case r.Status != policy.Queued && r.Status != policy.Running && !jobs.Ended(r.Status):
		return r, rowError(id, "status")
	case s.ColumnInt64(3) < 0 || s.ColumnInt64(3) > maxAttempt:
		return r, rowError(id, "attempt")
	}
	for i, name := range []string{"created", "started", "finished", "expires"} {
		if at := s.ColumnInt64(5 + i); at < 0 || at > maxMicros {
			return r, rowError(id, name)
		}
	}
	return r, nil
}

const (
	maxAttempt = 1_000_000
	maxMicros  = 253402300799000000 // the end of the year 9999
)

// micros and instant are the form of a time in the database: microseconds since
// 1970, 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return min(max(t.UnixMicro(), 1), maxMicros)
}

func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us)
}

// later adds to a time of the database without leaving what it holds.
func later(us int64, d time.Duration) int64 { return min(max(us+d.Microseconds(), 0), maxMicros) }

// tagOf is a tag that a CHECK lets through: a damaged one must not become one that
// is never reached.
func tagOf(f float64) float64 {
	if math.IsNaN(f) || f < 0 {
		return 0
	}
	return min(f, 1e15)
}
