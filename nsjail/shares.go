package nsjail

import (
	"log/slog"
	"slices"
	"sync"

	"safe-exec/cgroup"
	"safe-exec/policy"
)

// asker is whose run a jail is for; the zero value is nobody.
type asker struct {
	caller string
	weight int // policy.Request.Weight
}

func askerOf(req policy.Request) asker { return asker{req.Caller.String(), max(req.Weight, 1)} }

// shares divides the processors by caller. The kernel divides them by leaf, so a
// caller with seven runs at once would get seven times what a caller with one
// gets. Here each of n runs of a caller weighs its n-th part: all of them weigh as
// much together as one of another caller does alone.
type shares struct {
	log     *slog.Logger
	mu      sync.Mutex
	callers map[string]*crowd
}

// crowd is the leaves of one caller.
type crowd struct {
	members int // that have come or are about to; under shares.mu

	mu     sync.Mutex // a caller with many leaves keeps no other waiting
	leaves []*cgroup.Leaf
	parts  int // in how many its weight is divided
	weight int
}

func newShares(log *slog.Logger) *shares {
	return &shares{log: log, callers: make(map[string]*crowd)}
}

// share counts the jail among those of the caller, until its end.
func (j *jail) share(a asker) {
	if a == (asker{}) {
		return
	}
	j.runner.shares.enter(a, j.leaf)
	j.undo.add(func() { j.runner.shares.leave(a, j.leaf) })
}

func (s *shares) enter(a asker, leaf *cgroup.Leaf) {
	s.mu.Lock()
	c, ok := s.callers[a.caller]
	if !ok {
		c = &crowd{parts: 1, weight: a.weight}
		s.callers[a.caller] = c
	}
	c.members++
	s.mu.Unlock()

	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaves = append(c.leaves, leaf)
	if c.weight != a.weight { // settled anew while he has runs, or those before are just ending
		c.weight, c.parts = a.weight, 0
	}
	if !s.divide(c) && c.part() != 1 { // 1 is what a new leaf has
		s.set(c, leaf)
	}
}

func (s *shares) leave(a asker, leaf *cgroup.Leaf) {
	s.mu.Lock()
	c := s.callers[a.caller]
	if c.members--; c.members == 0 {
		delete(s.callers, a.caller)
	}
	s.mu.Unlock()

	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.leaves, leaf)
	c.leaves = slices.Delete(c.leaves, i, i+1)
	s.divide(c)
}

// divide says whether all leaves have got another weight. A caller whose runs
// come and go weighs a little less than he may for a while, more than half of it,
// which saves a write for each of his leaves with each run.
func (s *shares) divide(c *crowd) bool {
	n := len(c.leaves)
	if n == 0 || n <= c.parts && 2*n > c.parts {
		return false
	}
	c.parts = n
	for _, leaf := range c.leaves {
		s.set(c, leaf)
	}
	return true
}

func (c *crowd) part() float64 { return float64(c.weight) / float64(c.parts) }

// set logs what fails: a run is no less confined for it.
func (s *shares) set(c *crowd, leaf *cgroup.Leaf) {
	if err := leaf.SetShare(c.part()); err != nil {
		s.log.Error("processor share", "error", err)
	}
}
