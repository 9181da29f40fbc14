package jobs_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
)

// Whatever others do, within any shares of their own, one who has nothing waiting
// finds a place as long as they are no more than the half of the reserve.
func TestNobodyIsShutOutOfTheQueue(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		most := 8 + r.IntN(120)
		b := open(t, func(c *jobs.Config) { c.MaxQueued, c.MaxQueuedPerOwner, c.Apart = most, most, "root" })
		k := max(most/8, 1)
		var held []*jobs.Reservation
		refused := 0
		for refused < 50*k { // at the end nobody of them gets one
			who := fmt.Sprint("flood ", r.IntN(k))
			if place, err := b.ReserveUpTo(who, 1+r.IntN(most)); err == nil {
				held = append(held, place)
			} else {
				refused++
			}
			if len(held) > 0 && refused < 20*k && r.IntN(8) == 0 { // some are claimed
				i := r.IntN(len(held))
				held[i].Release()
				held[i] = held[len(held)-1]
				held = held[:len(held)-1]
			}
		}
		place, err := b.Reserve("late")
		if assert.NoError(t, err, "seed %d: %d callers, %d of %d places taken", seed, k, len(held), most) {
			place.Release()
		}
		for range most {
			_, err = b.Reserve("root")
			require.NoError(t, err, "root has places beside all")
		}
		_, err = b.Reserve("root")
		assert.Equal(t, "busy caller_queue", reason(err), "and they are bounded")
		place, err = b.Reserve("late")
		if assert.NoError(t, err, "root's are not among all") {
			place.Release()
		}
	}
}

func TestTheLastQuarterIsForThoseWithFewWaiting(t *testing.T) {
	b := open(t, func(c *jobs.Config) { c.MaxQueued, c.MaxQueuedPerOwner, c.Apart = 64, 64, "root" })
	take := func(owner string) (n int, why string) {
		for {
			if _, err := b.Reserve(owner); err != nil {
				return n, reason(err)
			}
			n++
		}
	}
	for _, row := range []struct {
		name  string
		owner string
		took  int
	}{
		{"one alone gets three quarters", "a", 48},
		{"another takes of the reserve until it has eight or half of it is gone", "b", 8},
		{"a third gets one of the rest", "c", 1},
		{"and so does a fourth", "d", 1},
		{"who has one gets no more", "c", 0},
	} {
		n, why := take(row.owner)
		assert.Equal(t, row.took, n, row.name)
		assert.Equal(t, "busy job_queue_full", why, row.name)
	}
}

func TestWhatRootHasWaitingTakesNobodysPlace(t *testing.T) {
	b := open(t, func(c *jobs.Config) { c.MaxQueued, c.MaxQueuedPerOwner, c.Apart = 2, 2, "root" })
	b.submit("root", "hold")
	<-b.e.started
	b.submit("root", "hold")
	b.submit("root", "hold")
	_, err := b.Reserve("root")
	assert.Equal(t, "busy caller_queue", reason(err))
	b.submit("a", "hold")
	b.submit("b", "hold")
	_, err = b.Reserve("c")
	assert.Equal(t, "busy job_queue_full", reason(err))
	job, err := b.Replay(t.Context(), "a", "never used", [32]byte{})
	assert.NoError(t, err)
	assert.Nil(t, job)
}
