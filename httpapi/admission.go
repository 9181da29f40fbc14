package httpapi

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"safe-exec/policy"
)

// gate admits a fixed number of holders at once and shares its slots between
// callers by start-time fair queueing: each caller has a queue and a tag, which
// grows by 1/weight with every slot that it gets, and the lowest tag is next. A
// caller who comes after a pause starts at the virtual time, which is the tag of
// the last one served: it saved nothing up, and stands before whoever floods.
//
// Only a bounded number wait, and only for a bounded time: a caller that would be
// served late is better told so at once.
type gate struct {
	slots, places int
	limit         time.Duration
	closing       <-chan struct{}

	mu               sync.Mutex
	running, waiting int
	virtual          float64
	shares           map[string]*share // by policy.Caller.String
	queued           []*share          // those with somebody waiting
	arrivals         uint64
	hold             time.Duration // how long a slot was held lately
	idled            chan struct{} // closed when nobody holds a slot; nil until somebody asks
}

// share is one caller's part of a gate.
type share struct {
	tag     float64 // virtual time at which its next request may start
	weight  float64
	runs    int // its bound on running
	running int
	waiters []*waiter // oldest first
}

// waiter is a request in a queue. The gate's mu guards it; ready is closed when
// it has a slot, or err.
type waiter struct {
	arrival uint64
	ready   chan struct{}
	granted bool
	err     error
}

// maxShares bounds how many callers a gate remembers; those who neither run nor
// wait are forgotten first.
const maxShares = 1024

func newGate(slots, places int, limit time.Duration, closing <-chan struct{}) *gate {
	return &gate{slots: slots, places: places, limit: limit, closing: closing, shares: map[string]*share{}}
}

// enter takes a slot and returns what gives it back. It fails with CodeBusy
// when the caller or all together have too many, or the wait took too long, with
// CodeUnavailable when the server drains, with errGone when the caller went away.
func (g *gate) enter(ctx context.Context, caller string, a Allowance) (leave func(), err error) {
	select {
	case <-g.closing:
		return nil, errDraining
	default:
	}
	g.mu.Lock()
	s := g.share(caller)
	s.weight, s.runs = a.Weight, a.Runs
	if len(s.waiters) == 0 {
		s.tag = max(s.tag, g.virtual)
	}
	// Whoever waits and could run has been given a slot before: nobody is passed.
	if g.running < g.slots && s.running < s.runs {
		g.grant(s)
		g.mu.Unlock()
		return g.leaver(s), nil
	}
	w, err := g.queue(s, a)
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return g.wait(ctx, s, w)
}

func (g *gate) wait(ctx context.Context, s *share, w *waiter) (leave func(), err error) {
	timer := time.NewTimer(g.limit)
	defer timer.Stop()
	select {
	case <-w.ready:
	case <-timer.C:
	case <-g.closing:
		err = errDraining
	case <-ctx.Done():
		err = errGone(ctx.Err())
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case w.granted && err == nil: // at the last moment, perhaps
		return g.leaver(s), nil
	case w.granted:
		g.release(s)
		return nil, err
	case w.err != nil:
		return nil, w.err
	}
	g.unqueue(s, w)
	if err == nil {
		err = g.late(s)
	}
	return nil, err
}

// late says what kept the request waiting for too long: its caller's own bound, where
// no slot that others leave would have helped, else the slots. It needs mu.
func (g *gate) late(s *share) error {
	if s.running >= s.runs && s.runs < g.slots {
		return busy(BusyCallerRuns, g.expected(len(s.waiters), s.runs), "this caller has all the runs at once that it may have, and none of them ended in time")
	}
	return busy(BusyWaitLimit, g.expected(g.waiting, g.slots), "no slot became free in time")
}

// queue finds the request a waiting place. Where all are taken, the newest of the
// caller who has most of them, by weight, gives way to one who has less. It needs
// mu.
func (g *gate) queue(s *share, a Allowance) (*waiter, error) {
	full := g.waiting >= g.places
	if len(s.waiters) >= a.Waiting {
		after := g.expected(len(s.waiters), min(s.runs, g.slots))
		switch {
		case full:
			return nil, busy(BusyQueueFull, after, "all slots and waiting places are taken")
		case s.running >= s.runs:
			return nil, busy(BusyCallerRuns, after, "this caller has all the runs at once that it may have, and as many waiting")
		}
		return nil, busy(BusyCallerQueue, after, "this caller has as many requests waiting as it may have")
	}
	if full {
		greediest := slices.MaxFunc(g.queued, func(a, b *share) int { return cmp.Compare(a.greed(0), b.greed(0)) })
		after := g.expected(g.waiting, g.slots)
		if greediest == s || greediest.greed(0) <= s.greed(1) {
			return nil, busy(BusyQueueFull, after, "all slots and waiting places are taken")
		}
		last := greediest.waiters[len(greediest.waiters)-1]
		last.err = busy(BusyQueueFull, after, "all waiting places are taken, and a caller with fewer of them came")
		close(last.ready)
		g.unqueue(greediest, last)
	}
	g.arrivals++
	w := &waiter{arrival: g.arrivals, ready: make(chan struct{})}
	if len(s.waiters) == 0 {
		g.queued = append(g.queued, s)
	}
	s.waiters = append(s.waiters, w)
	g.waiting++
	return w, nil
}

// greed is how much of the waiting places a share takes with more of them.
func (s *share) greed(more int) float64 { return float64(len(s.waiters)+more) / s.weight }

// unqueue needs mu.
func (g *gate) unqueue(s *share, w *waiter) {
	i := slices.Index(s.waiters, w)
	s.waiters = slices.Delete(s.waiters, i, i+1)
	g.waiting--
	if len(s.waiters) == 0 {
		i = slices.Index(g.queued, s)
		g.queued = slices.Delete(g.queued, i, i+1)
	}
}

// grant counts a slot as the share's. It needs mu.
func (g *gate) grant(s *share) {
	g.virtual = max(g.virtual, s.tag)
	s.tag += 1 / s.weight
	s.running++
	g.running++
}

// leaver measures from now how long the slot is held.
func (g *gate) leaver(s *share) func() {
	begin := time.Now()
	return sync.OnceFunc(func() {
		held := time.Since(begin)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.hold += (held - g.hold) / 8
		g.release(s)
	})
}

// release gives a slot back, and on to whoever is next. It needs mu.
func (g *gate) release(s *share) {
	s.running--
	g.running--
	for g.running < g.slots {
		next := g.next()
		if next == nil {
			break
		}
		w := next.waiters[0]
		g.unqueue(next, w)
		g.grant(next)
		w.granted = true
		close(w.ready)
	}
	if g.running == 0 && g.idled != nil {
		close(g.idled)
		g.idled = nil
	}
}

// next is the share with the lowest tag of those that may run, the one that
// waits longest where two have the same. It needs mu.
func (g *gate) next() (best *share) {
	for _, s := range g.queued {
		if s.running >= s.runs {
			continue
		}
		if best == nil || s.tag < best.tag || s.tag == best.tag && s.waiters[0].arrival < best.waiters[0].arrival {
			best = s
		}
	}
	return best
}

// expected is how long it takes until ahead requests, and one more, have been
// served by so many slots. It needs mu.
func (g *gate) expected(ahead, slots int) time.Duration {
	return g.hold * time.Duration(ahead+1) / time.Duration(max(slots, 1))
}

// share finds a caller's, and makes it. It needs mu.
func (g *gate) share(caller string) *share {
	s, ok := g.shares[caller]
	if !ok {
		forget(g.shares, maxShares, func(s *share) (float64, bool) {
			return s.tag, s.running == 0 && len(s.waiters) == 0
		})
		s = &share{}
		g.shares[caller] = s
	}
	return s
}

// idle waits until every holder has left. The gate must be closing: it admits
// nobody afterwards.
func (g *gate) idle(ctx context.Context) error {
	g.mu.Lock()
	if g.running == 0 {
		g.mu.Unlock()
		return nil
	}
	if g.idled == nil {
		g.idled = make(chan struct{})
	}
	idled := g.idled
	g.mu.Unlock()
	select {
	case <-idled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// depth tells how many hold a slot and how many wait for one.
func (g *gate) depth() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.waiting
}

var errDraining error = &policy.Error{Code: policy.CodeUnavailable, Message: "the daemon is shutting down and takes no new work"}
