package queuetest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// owners claims n jobs and says whose they were.
func (q *queue) owners(n int) (list []string) {
	q.t.Helper()
	for range n {
		c := q.claim()
		require.NotNil(q.t, c)
		require.NoError(q.t, q.Complete(q.t.Context(), c.Lease(), verdict("v")))
		list = append(list, c.Owner)
	}
	return list
}

func count(list []string, owner string) (n int) {
	for _, o := range list {
		if o == owner {
			n++
		}
	}
	return n
}

func fairness(t *testing.T, d Driver) {
	q := start(t, d)
	for range 1000 {
		q.add(job("flood"))
	}
	q.owners(10)
	q.add(job("light"))
	assert.Contains(t, q.owners(2), "light", "its first is among the next two")
	for range 10 {
		q.add(job("light"))
	}
	assert.Equal(t, 10, count(q.owners(21), "light"), "then they take turns")
	q.reopen()
	q.add(job("light"))
	assert.Contains(t, q.owners(2), "light", "virtual time outlives the process")
	for range 5 {
		q.add(job("light"))
		assert.Contains(t, q.owners(2), "light", "who asks now and then never waits long")
	}
	for range 200 {
		q.add(job("new"))
	}
	got := q.owners(100)
	assert.InDelta(t, 50, count(got, "new"), 2, "who comes late does not get what he missed")
}

func weights(t *testing.T, d Driver) {
	q := start(t, d)
	for range 400 {
		heavy, light := job("heavy"), job("light")
		heavy.Weight = 3
		q.add(heavy)
		q.add(light)
	}
	got := q.owners(200)
	assert.InDelta(t, 150, count(got, "heavy"), 3)
	assert.InDelta(t, 15, count(got[:20], "heavy"), 2, "and not in turns of hundreds")
}

func cancelledTurns(t *testing.T, d Driver) {
	q := start(t, d)
	var ids []string
	for range 50 {
		ids = append(ids, q.add(job("a")))
	}
	for range 20 {
		q.add(job("b"))
	}
	for _, id := range ids {
		_, err := q.Cancel(t.Context(), "a", id)
		require.NoError(t, err)
	}
	q.add(job("a"))
	assert.Contains(t, q.owners(2), "a", "cancelled jobs are no turns taken")

	q = start(t, d)
	for range 100 {
		q.add(job("b"))
	}
	mine := 0
	for range 20 {
		q.add(job("a"))
		id := q.add(job("a"))
		_, err := q.Cancel(t.Context(), "a", id)
		require.NoError(t, err)
		mine += count(q.owners(1), "a")
	}
	assert.LessOrEqual(t, mine, 11, "nor is a turn gained by it")
	assert.GreaterOrEqual(t, mine, 9)
}
