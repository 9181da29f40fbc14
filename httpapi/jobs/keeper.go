package jobs

import (
	"context"
	"errors"
	"time"
)

// keep extends the leases of what runs here and does what time asks for.
func (s *Store) keep() {
	tick := time.NewTicker(min(time.Second, s.cfg.Lease/3, max(s.cfg.MaxAge/8, 10*time.Millisecond)))
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		case <-s.sweep:
		}
		// Leases first: after a time in which this process stood still, what
		// runs here must not be taken for lost.
		s.heartbeats()
		if err := s.expire(); err != nil && s.ctx.Err() == nil {
			s.cfg.Logger.Error("the store of jobs cannot be swept", "error", err)
		}
	}
}

func (s *Store) heartbeats() {
	s.mu.Lock()
	here := make(map[*live]Lease)
	for _, l := range s.live {
		if l.cancel != nil {
			here[l] = l.lease
		}
	}
	s.mu.Unlock()
	for l, lease := range here {
		cancelled, err := s.cfg.Queue.Heartbeat(s.ctx, lease, s.cfg.Lease)
		s.mu.Lock()
		left, after := l.cancel == nil && l.lease == lease && !l.over, l.again
		if l.cancel != nil && l.lease == lease && (cancelled || errors.Is(err, ErrLost)) {
			l.cancelled = l.cancelled || cancelled
			l.lost = errors.Is(err, ErrLost)
			l.cancel()
		}
		s.mu.Unlock()
		if left && err == nil { // it was given up meanwhile, for a shorter time
			s.release(lease, after)
		}
	}
}

func (s *Store) expire() error {
	for more := true; more; {
		s.mu.Lock()
		s.ended, s.bytes = 0, 0
		s.mu.Unlock()
		out, err := s.cfg.Queue.Expire(s.ctx, Bounds{
			MaxAttempts: s.cfg.MaxAttempts, MaxFinished: s.cfg.MaxFinished,
			MaxFinishedBytes: s.cfg.MaxFinishedBytes, MaxAge: s.cfg.MaxAge,
		})
		if err != nil {
			return err
		}
		for range out.Requeued {
			s.wake()
		}
		for _, ref := range out.Ended {
			s.wake() // its owner may have one more running now
			if r, ok := s.decidedByQueue(ref); ok {
				s.tellEnded(r)
			}
		}
		more = out.More
	}
	return nil
}

// decidedByQueue tells those who follow a job what the queue made of it.
func (s *Store) decidedByQueue(ref Ref) (r Record, ok bool) {
	r, err := s.cfg.Queue.Get(context.WithoutCancel(s.ctx), ref.Owner, ref.ID)
	if err != nil {
		s.cfg.Logger.Error("a verdict cannot be read", "job_id", ref.ID, "error", err)
		return r, false
	}
	s.decided(r)
	return r, true
}

// tellEnded tells of a job that no worker has decided.
func (s *Store) tellEnded(r Record) {
	job, err := jobOf(r)
	if err != nil {
		s.cfg.Logger.Error("a verdict cannot be read", "job_id", r.ID, "error", err)
		return
	}
	s.cfg.Ended(job)
}

// count asks for a sweep once what ended since the last one is an eighth of what
// is kept: between two sweeps the store may be over its bounds by that.
func (s *Store) count(bytes int) {
	s.mu.Lock()
	s.ended++
	s.bytes += int64(bytes)
	due := s.ended > s.cfg.MaxFinished/8 || s.bytes > s.cfg.MaxFinishedBytes/8
	s.mu.Unlock()
	if due {
		s.askSweep()
	}
}

func (s *Store) askSweep() {
	select {
	case s.sweep <- struct{}{}:
	default:
	}
}
