package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/queuetest"
	"safe-exec/httpapi/jobs/sqlite"
	"safe-exec/policy"
)

// What the constraints cannot see must not be believed either.
func TestDoctoredRows(t *testing.T) {
	for _, row := range []struct {
		name, sql string
		get       policy.Code
	}{
		{"a verdict is gone", "DELETE FROM verdicts", policy.CodeInternal},
		{"a request is gone", "DELETE FROM requests", ""},
		{"a verdict of a job that waits", "INSERT INTO verdicts SELECT seq, x'00' FROM jobs WHERE id = 'job_waiting'", ""},
		{"the virtual clock is gone", "DELETE FROM clock", ""},
		{"the owners are gone", "DELETE FROM owners", ""},
		{"the counts are wrong", "UPDATE owners SET queued = 999, ended = 999, bytes = 1 << 60", ""},
		{"tags at the end of their range", "UPDATE jobs SET tag = 1e15; UPDATE owners SET next = 1e15; UPDATE clock SET virtual = 1e15", ""},
		{"attempts at the end of their range", "UPDATE jobs SET attempt = 1000000", ""},
		{"a waiting job that was finished once", "UPDATE jobs SET finished = 1, ended = 1, size = 5 WHERE status = 'queued'", ""},
		{"a finished job that claims to run", "UPDATE jobs SET status = 'running' WHERE id = 'job_done'", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			filled(t, dir)
			stranger(t, dir, row.sql)
			q, err := sqlite.Open(dir, queuetest.NewClock())
			require.NoError(t, err)
			defer func() { assert.NoError(t, q.Close()) }()
			_, err = q.Get(t.Context(), "a", "job_done")
			if row.get != "" {
				assert.ErrorContains(t, err, "job_done", "the error names the row")
			} else {
				assert.NoError(t, err)
			}
			_, _, err = q.Enqueue(t.Context(), jobs.Entry{ID: "job_new", Owner: "b", Weight: 1, AtOnce: 8, TTL: time.Hour, Request: []byte("{}")})
			require.NoError(t, err)
			b := jobs.Bounds{MaxAttempts: 3, MaxFinished: 100, MaxFinishedBytes: 1 << 20, MaxAge: time.Hour}
			_, err = q.Expire(t.Context(), b)
			require.NoError(t, err)
			for range 10 {
				c, err := q.Claim(t.Context(), time.Hour)
				require.NoError(t, err)
				if c == nil {
					break
				}
				require.NoError(t, q.Complete(t.Context(), c.Lease(), jobs.Verdict{Status: policy.Succeeded, Body: []byte("v")}))
			}
			r, err := q.Get(t.Context(), "b", "job_new")
			require.NoError(t, err)
			assert.Equal(t, policy.Succeeded, r.Status, "nothing of it is in the way of others")
			all, _, err := q.Depth(t.Context(), "a")
			require.NoError(t, err)
			assert.Zero(t, all)
		})
	}
}

// FuzzDatabase changes bytes of a database: what comes is an error or an answer,
// and never a panic or a hang.
func FuzzDatabase(f *testing.F) {
	dir := f.TempDir()
	filled(f, dir)
	good, err := os.ReadFile(filepath.Join(dir, "jobs.db"))
	require.NoError(f, err)
	f.Add(uint32(0), []byte{0})
	f.Add(uint32(18), []byte{1})
	f.Add(uint32(4096), []byte{13, 255, 255})
	for page := range len(good) / 4096 {
		f.Add(uint32(page*4096+3), []byte{0xff, 0x7f})
		f.Add(uint32(page*4096+4090), []byte{0x80, 1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		dir := t.TempDir()
		data := append([]byte(nil), good...)
		for i, b := range change {
			if i >= 64 {
				break
			}
			data[(int(at)+i)%len(data)] ^= b
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "jobs.db"), data, 0o600))
		q, err := sqlite.Open(dir, queuetest.NewClock())
		if err != nil {
			var start *sqlite.StartError
			require.ErrorAs(t, err, &start)
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		use(ctx, q)
		_ = q.Close() // a damaged file may not close well
		require.NoError(t, ctx.Err(), "it hangs")
	})
}

// use asks a queue everything.
func use(ctx context.Context, q jobs.Queue) {
	for _, id := range []string{"job_done", "job_running", "job_waiting"} {
		_, _ = q.Get(ctx, "a", id)
		_, _, _ = q.List(ctx, "a", jobs.ListOptions{After: id})
	}
	_, _, _ = q.List(ctx, "a", jobs.ListOptions{Status: policy.Queued})
	_, _, _ = q.Depth(ctx, "a")
	_, _, _ = q.Enqueue(ctx, jobs.Entry{ID: "job_new", Owner: "a", Key: "job_done", Weight: 1, AtOnce: 8, TTL: time.Hour, Request: []byte("{}")})
	_, _, _ = q.Enqueue(ctx, jobs.Entry{ID: "job_new", Owner: "a", Weight: 1, AtOnce: 8, TTL: time.Hour, Request: []byte("{}")})
	_, _ = q.Expire(ctx, jobs.Bounds{MaxAttempts: 2, MaxFinished: 1, MaxFinishedBytes: 1, MaxAge: time.Hour})
	for range 5 {
		c, err := q.Claim(ctx, time.Hour)
		if err != nil || c == nil {
			break
		}
		_ = q.Complete(ctx, c.Lease(), jobs.Verdict{Status: policy.Succeeded, Body: []byte("v")})
	}
	_, _ = q.Cancel(ctx, "a", "job_waiting")
	_, _ = q.Expire(ctx, jobs.Bounds{MaxAttempts: 1, MaxFinished: 1, MaxFinishedBytes: 1, MaxAge: 1})
}
