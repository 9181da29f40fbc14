package sqlite

import (
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
)

// steps is how many instructions SQLite's machine has done for the writer since it
// was asked last.
func (q *Queue) steps() (n int) {
	for _, s := range q.writer.stmts {
		n += s.Status(sqlite3.STMTSTATUS_VM_STEP, true)
	}
	return n
}

// A claim costs the same however many wait, of an owner who has all that he may
// have and of any other: a count of SQLite's instructions, not a time.
func TestAClaimDoesNotGoThroughTheQueue(t *testing.T) {
	q, err := Open(t.TempDir(), jobs.SystemClock{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, q.Close()) }()
	add := func(owner string, n int) {
		var wg sync.WaitGroup
		for range min(n, 200) { // together, so that they share commits
			wg.Go(func() {
				for range max(n/200, 1) {
					_, _, err := q.Enqueue(t.Context(), jobs.Entry{
						ID: "job_" + rand.Text(), Owner: owner, Weight: 1, AtOnce: 2, TTL: time.Hour, Request: []byte("{}"),
					})
					assert.NoError(t, err)
				}
			})
		}
		wg.Wait()
	}
	claim := func() (owner string, steps int) {
		q.steps()
		c, err := q.Claim(t.Context(), time.Hour)
		require.NoError(t, err)
		steps = q.steps()
		if c == nil {
			return "", steps
		}
		return c.Owner, steps
	}
	// cost is that of finding nothing while the owner is at his bound, of the first job
	// of another, and of the next one of the owner's own.
	cost := func() (nothing, light, own int) {
		who, nothing := claim()
		require.Empty(t, who)
		add("light", 1)
		who, light = claim()
		require.Equal(t, "light", who)
		list, _, err := q.List(t.Context(), "light", jobs.ListOptions{Limit: 1})
		require.NoError(t, err)
		done := jobs.Verdict{Status: "succeeded", Body: []byte("v")}
		require.NoError(t, q.Complete(t.Context(), jobs.Lease{ID: list[0].ID, Attempt: 1}, done))
		running, _, err := q.List(t.Context(), "flood", jobs.ListOptions{Status: "running"})
		require.NoError(t, err)
		require.NoError(t, q.Complete(t.Context(), jobs.Lease{ID: running[0].ID, Attempt: 1}, done))
		who, own = claim()
		require.Equal(t, "flood", who)
		return nothing, light, own
	}
	add("flood", 12)
	for range 2 {
		who, _ := claim()
		require.Equal(t, "flood", who)
	}
	nothing, light, own := cost()
	add("flood", 10000)
	nothingMany, lightMany, ownMany := cost()
	t.Logf("steps with 10 waiting: %d %d %d, with 10,000: %d %d %d", nothing, light, own, nothingMany, lightMany, ownMany)
	assert.Positive(t, nothing)
	assert.LessOrEqual(t, nothingMany, nothing+50)
	assert.LessOrEqual(t, lightMany, light+50)
	assert.LessOrEqual(t, ownMany, own+50)
}
