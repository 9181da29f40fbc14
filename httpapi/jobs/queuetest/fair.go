package queuetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
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

func atOnce(t *testing.T, d Driver) {
	q := start(t, d)
	few := func(owner string) jobs.Entry {
		j := job(owner)
		j.AtOnce = 3
		return j
	}
	for range 50 {
		q.add(few("flood"))
	}
	var held []*jobs.Claimed
	for range 3 {
		held = append(held, q.claim())
		require.NotNil(t, held[len(held)-1])
	}
	assert.Nil(t, q.claim(), "a fourth would be one too many, though nobody else is there")
	light := few("light")
	q.add(light)
	c := q.claim()
	require.NotNil(t, c, "another's starts at once")
	assert.Equal(t, light.ID, c.ID)
	assert.Nil(t, q.claim())

	require.NoError(t, q.Complete(t.Context(), held[0].Lease(), verdict("v")))
	held[0] = q.claim()
	require.NotNil(t, held[0], "one has ended, so the next starts")
	assert.Nil(t, q.claim())

	_, err := q.Heartbeat(t.Context(), held[1].Lease(), 0)
	require.NoError(t, err)
	assert.Nil(t, q.claim(), "one that was given up counts until it is decided on")
	require.Len(t, q.expire(wide).Requeued, 1)
	held[1] = q.claim()
	require.NotNil(t, held[1])
	assert.Nil(t, q.claim())

	b := wide
	b.MaxAttempts = 1
	_, err = q.Heartbeat(t.Context(), held[2].Lease(), 0)
	require.NoError(t, err)
	require.Len(t, q.expire(b).Ended, 1)
	require.NotNil(t, q.claim(), "nor does one that has ended without a worker")
	assert.Nil(t, q.claim())

	q.reopen()
	assert.Nil(t, q.claim(), "what ran when the process ended counts as well")
	require.Len(t, q.expire(wide).Requeued, 4)
	require.Equal(t, "flood", q.claim().Owner)
	more := few("flood")
	more.AtOnce = 5
	q.add(more)
	list := []string{}
	for c := q.claim(); c != nil; c = q.claim() {
		list = append(list, c.Owner)
	}
	assert.Equal(t, 4, count(list, "flood"), "the latest entry says how many")
	assert.Equal(t, 1, count(list, "light"))
}

// expiredHeads has owners whose first jobs are past their deadline: what stands
// behind these is in its turn all the same.
func expiredHeads(t *testing.T, d Driver) {
	q := start(t, d)
	short := job("a")
	short.TTL = time.Minute
	q.add(short)
	late := q.add(job("a"))
	early := q.add(job("b"))
	q.clock.Pass(time.Minute)
	c := q.claim()
	require.NotNil(t, c)
	assert.Equal(t, early, c.ID, "its tag is lower than that of a's second job")
	c = q.claim()
	require.NotNil(t, c)
	assert.Equal(t, late, c.ID)
	assert.Nil(t, q.claim())
	assert.Equal(t, refs("a", short.ID), q.expire(wide).Ended)
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
