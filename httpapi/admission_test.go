package httpapi

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// waits until so many requests wait at a gate.
func waits(t *testing.T, g *gate, n int) {
	t.Helper()
	require.Eventually(t, func() bool { _, waiting := g.depth(); return waiting == n }, 10*time.Second, time.Millisecond)
}

// crowd is callers at a gate, whose requests come and are served one at a time, so
// that the order is what is seen.
type crowd struct {
	t       *testing.T
	g       *gate
	allowed Allowance
	served  chan *guest
}

// guest is a request that got in, or was refused.
type guest struct {
	caller string
	leave  func()
	err    error
}

func newCrowd(t *testing.T, slots, places int, a Allowance) *crowd {
	if a.Weight == 0 {
		a.Weight = 1
	}
	return &crowd{t: t, g: newGate(slots, places, time.Hour, make(chan struct{})), allowed: a, served: make(chan *guest, 4096)}
}

// comes sends a request of the caller and waits until it stands in the queue, or
// is through.
func (c *crowd) comes(caller string, weight float64) {
	c.t.Helper()
	running, waiting := c.g.depth()
	came := len(c.served)
	a := c.allowed
	a.Weight = weight
	go func() {
		leave, err := c.g.enter(context.Background(), caller, a)
		c.served <- &guest{caller, leave, err}
	}()
	require.Eventually(c.t, func() bool {
		r, w := c.g.depth()
		return r > running || w > waiting || len(c.served) > came
	}, 10*time.Second, 10*time.Microsecond)
}

// next is who is served next.
func (c *crowd) next() *guest {
	c.t.Helper()
	return await(c.t, "who is served next", c.served)
}

func (c *crowd) refusal(g *guest) Problem {
	c.t.Helper()
	require.Error(c.t, g.err)
	return ProblemOf(g.err)
}

// served lists who gets a slot, as each gives it to the next.
func (c *crowd) order(g *guest, n int) (names []string) {
	c.t.Helper()
	for range n {
		require.NoError(c.t, g.err)
		names = append(names, g.caller)
		g.leave()
		if len(names) < n {
			g = c.next()
		}
	}
	return names
}

func TestAnIdleCallersFirstRequestIsNextWhateverWaits(t *testing.T) {
	c := newCrowd(t, 1, 256, Allowance{Runs: 1, Waiting: 256})
	for range 100 {
		c.comes("flood", 1)
	}
	first := c.next()
	c.comes("light", 1)
	assert.Equal(t, []string{"flood", "light", "flood"}, c.order(first, 3), "after what runs, the light one is next")
}

func TestAPauseSavesNothingUp(t *testing.T) {
	c := newCrowd(t, 1, 64, Allowance{Runs: 1, Waiting: 64})
	for range 20 {
		c.comes("busy", 1)
	}
	g := c.next()
	for range 9 {
		g.leave()
		g = c.next()
	}
	// It comes after ten of the other's, and gets its half from now on, not ten first.
	for range 10 {
		c.comes("rested", 1)
	}
	got := c.order(g, 8)
	assert.Equal(t, []string{"busy", "rested", "busy", "rested", "busy", "rested", "busy", "rested"}, got)
}

func TestSlotsAreSharedByWeight(t *testing.T) {
	c := newCrowd(t, 1, 256, Allowance{Runs: 1, Waiting: 128})
	for range 60 {
		c.comes("one", 1)
		c.comes("three", 3)
	}
	got := c.order(c.next(), 40)
	ones := 0
	for _, name := range got {
		if name == "one" {
			ones++
		}
	}
	assert.InDelta(t, 10, ones, 1, "of 40 slots a quarter: %v", got)
}

// A caller at its bound waits without holding up those behind it.
func TestACallerAtItsBoundIsPassed(t *testing.T) {
	c := newCrowd(t, 2, 8, Allowance{Runs: 1, Waiting: 4})
	c.comes("a", 1)
	c.comes("a", 1)
	running := c.next()
	_, waiting := c.g.depth()
	require.Equal(t, 1, waiting, "its second waits although a slot is free")
	c.comes("b", 1)
	assert.Equal(t, "b", c.next().caller)
	running.leave()
	assert.Equal(t, "a", c.next().caller)
}

func TestWhoIsRefusedAndWhy(t *testing.T) {
	for _, row := range []struct {
		name          string
		slots, places int
		allowed       Allowance
		come          []string // one after the other; the last one's fate is looked at
		refused       string
		reason        BusyReason
	}{
		{"within all bounds nobody is", 2, 2, Allowance{Runs: 2, Waiting: 2}, []string{"a", "a", "a", "a"}, "", ""},
		{"all runs and waiting places of a caller", 4, 8, Allowance{Runs: 1, Waiting: 1}, []string{"a", "a", "a"}, "a", BusyCallerRuns},
		{"all waiting places of a caller, while others run", 1, 8, Allowance{Runs: 2, Waiting: 1}, []string{"b", "a", "a"}, "a", BusyCallerQueue},
		{"all places of all", 1, 1, Allowance{Runs: 1, Waiting: 1}, []string{"a", "a", "a"}, "a", BusyQueueFull},
		{"all places, each by another", 1, 2, Allowance{Runs: 1, Waiting: 2}, []string{"a", "b", "c", "d"}, "d", BusyQueueFull},
		{"the newest of the greediest gives way to who has none", 1, 2, Allowance{Runs: 1, Waiting: 2}, []string{"a", "a", "a", "b"}, "a", BusyQueueFull},
		{"but not to who would have as many", 1, 3, Allowance{Runs: 1, Waiting: 3}, []string{"a", "a", "a", "b", "b"}, "b", BusyQueueFull},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := newCrowd(t, row.slots, row.places, row.allowed)
			for _, caller := range row.come {
				c.comes(caller, 1)
			}
			for len(c.served) > 0 {
				g := c.next()
				if g.err == nil {
					continue
				}
				p := c.refusal(g)
				assert.Equal(t, row.refused, g.caller)
				assert.Equal(t, string(row.reason), p.Reason)
				assert.Equal(t, 429, p.Status)
				assert.GreaterOrEqual(t, p.RetryAfter, int64(1))
				return
			}
			assert.Empty(t, row.refused, "somebody must have been refused")
		})
	}
}

func TestWhoGoesAwayLeavesNothingBehind(t *testing.T) {
	g := newGate(1, 8, time.Hour, make(chan struct{}))
	a := Allowance{Runs: 1, Waiting: 8, Weight: 1}
	leave, err := g.enter(context.Background(), "a", a)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := g.enter(ctx, "b", a)
		gone <- err
	}()
	waits(t, g, 1)
	cancel()
	assert.Equal(t, http.StatusBadRequest, ProblemOf(await(t, "who went", gone)).Status)
	leave()
	leave, err = g.enter(context.Background(), "c", a)
	require.NoError(t, err, "the slot is free")
	leave()
}

// Whatever callers do, no bound is passed, no slot stays free beside one who may
// have it, and in the end nothing is left.
func TestAGateKeepsItsBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	c := newCrowd(t, 3, 8, Allowance{Runs: 2, Waiting: 4})
	var inside []*guest
	refused := 0
	take := func() {
		for len(c.served) > 0 {
			if g := c.next(); g.err == nil {
				inside = append(inside, g)
			} else {
				refused++
			}
		}
	}
	for range 3000 {
		if r.IntN(2) == 0 || len(inside) == 0 {
			c.comes(fmt.Sprint(r.IntN(5)), float64(1+r.IntN(3)))
		} else {
			i := r.IntN(len(inside))
			inside[i].leave()
			inside = slices.Delete(inside, i, i+1)
		}
		c.g.mu.Lock()
		require.LessOrEqual(t, c.g.running, 3)
		require.LessOrEqual(t, c.g.waiting, 8)
		sum := 0
		for _, s := range c.g.shares {
			sum += s.running
			require.LessOrEqual(t, s.running, 2)
			require.LessOrEqual(t, len(s.waiters), 4)
			require.False(t, c.g.running < 3 && len(s.waiters) > 0 && s.running < s.runs, "a slot is free and one waits")
		}
		require.Equal(t, c.g.running, sum)
		c.g.mu.Unlock()
		take()
	}
	require.Eventually(t, func() bool {
		take()
		for _, g := range inside {
			g.leave()
		}
		inside = nil
		running, waiting := c.g.depth()
		return running+waiting == 0
	}, 10*time.Second, time.Millisecond)
	assert.Greater(t, refused, 100, "the crowd was too small to show anything")
}

func TestTenThousandCallersCostBoundedMemory(t *testing.T) {
	g := newGate(2, 8, time.Hour, make(chan struct{}))
	a := Allowance{Runs: 1, Waiting: 8, Weight: 1, RatePerMinute: 60, Burst: 1, CPUSecondsPerHour: 1}
	accounts := NewAccounts()
	leave, err := g.enter(context.Background(), "who runs", a)
	require.NoError(t, err)
	for uid := range uint32(10000) {
		c := policy.Caller{Local: true, UID: uid}
		require.NoError(t, accounts.request(c, a))
		done, err := g.enter(context.Background(), c.String(), a)
		require.NoError(t, err)
		done()
	}
	assert.LessOrEqual(t, len(accounts.all), maxAccounts)
	assert.LessOrEqual(t, len(g.shares), maxShares)
	require.Contains(t, g.shares, "who runs", "who runs is not forgotten")
	assert.Equal(t, 1, g.shares["who runs"].running)
	leave()
	assert.Error(t, accounts.request(policy.Caller{Local: true, UID: 9999}, a), "the newest is remembered")
}
