package nsjail

import (
	"context"
	"time"

	"safe-exec/policy"
)

// refill does one piece of work after the other until ctx ends: a template that
// is wanted, a spare that is wanted, or the end of one that is not.
func (s *spares) refill(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		if t, ok := s.next(time.Now()); ok {
			s.do(ctx, t)
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-tick.C:
		}
	}
}

// task is one piece of work: jails that end, or the start of a template or a spare
// of a pool.
type task struct {
	gone     []*jail
	pool     *pool
	template bool
	order    order
}

func (s *spares) do(ctx context.Context, t task) {
	switch {
	case t.template:
		s.startTemplate(ctx, t.pool)
	case t.pool != nil:
		s.startSpare(ctx, t.pool, t.order)
	}
	for _, j := range t.gone {
		s.r.endings.end(j)
	}
}

// next picks what is to be done. What it picks is already counted, so that two
// refillers do not do the same.
func (s *spares) next(now time.Time) (task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return task{}, false
	}
	for k, p := range s.pools {
		if now.Sub(p.used) > idleAfter && p.running == 0 {
			p.want = p.floor
		}
		if t := p.order.template; t != nil && t.worn(now) {
			s.retire(p)
		}
		if surplus := len(p.ready) - p.want; surplus > 0 {
			gone := p.ready[:surplus:surplus]
			p.ready = p.ready[surplus:]
			return task{gone: gone}, true
		}
		if now.Sub(p.used) > forgetAfter && p.floor == 0 && p.running+p.starting+len(p.ready) == 0 && !p.templating && p.order.template == nil {
			delete(s.pools, k)
		}
	}
	var lacking []*pool
	for _, p := range s.pools {
		lacks := len(p.ready)+p.starting < p.want || p.lacksTemplate()
		if lacks && !p.templating && !now.Before(p.retry) {
			lacking = append(lacking, p)
		}
	}
	s.needier(lacking)
	for _, p := range lacking {
		switch {
		case !s.makeRoom(p): // others may fit
			p.retry = now.Add(firstRetry)
		case p.lacksTemplate():
			p.templating = true
			return task{pool: p, template: true}, true
		default:
			p.starting++
			return task{pool: p, order: p.order}, true
		}
	}
	return task{}, false
}

func (p *pool) lacksTemplate() bool {
	return p.order.mode == policy.StartFork && p.order.template == nil && p.want > 0
}

func (s *spares) startSpare(ctx context.Context, p *pool, o order) {
	j, err := s.r.start(ctx, o)
	if err == nil {
		if j.before, err = j.leaf.Usage(); err != nil {
			s.r.endings.end(j)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.starting--
	if !s.settled(p, "spare", err) {
		return
	}
	if s.closed || o.template != p.order.template {
		s.r.endings.end(j)
		return
	}
	p.bytes = j.before.PeakMemoryBytes
	p.ready = append(p.ready, j)
	if len(p.ready)+p.starting < p.want {
		s.stir()
	}
}

func (s *spares) startTemplate(ctx context.Context, p *pool) {
	t, err := s.r.startTemplate(ctx, p.order)
	s.mu.Lock()
	defer s.mu.Unlock()
	p.templating = false
	if !s.settled(p, "template", err) {
		return
	}
	if s.closed {
		t.retire()
		return
	}
	s.adopt(p, t)
	s.stir()
}

// settled notes how a start of something that waits went: after one that failed
// there is a pause, twice as long each time.
func (s *spares) settled(p *pool, what string, err error) bool {
	if err == nil {
		p.pause = 0
		return true
	}
	if !s.closed {
		s.log.Error("a "+what+" could not be started; runs start their own jails", "profile", p.order.spec.Profile, "level", p.order.spec.LevelName, "error", err)
	}
	p.pause = min(max(2*p.pause, firstRetry), lastRetry)
	p.retry = time.Now().Add(p.pause)
	return false
}
