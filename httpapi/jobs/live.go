package jobs

import (
	"context"
	"time"

	"safe-exec/httpapi/events"
	"safe-exec/policy"
)

// live is a job that runs here or that somebody follows. The store's mu guards
// all of it but done.
type live struct {
	done      chan struct{} // closed when the job has ended
	over      bool          // done is closed
	followers int           // those who wait for done
	log       *events.Log   // once somebody reads it, or it runs; kept until the job ends
	lease     Lease
	again     time.Duration      // the pause behind this attempt, once it was given up
	cancel    context.CancelFunc // ends the run; nil unless it runs here
	cancelled bool               // the owner no longer wants it
	lost      bool               // another has the job
}

// follow keeps a live entry of a job until unfollow. It is the asker's own: who
// asks for another's job waits for nothing.
func (s *Store) follow(ref Ref) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.entry(ref)
	l.followers++
	return l
}

// entry needs mu.
func (s *Store) entry(ref Ref) *live {
	l := s.live[ref]
	if l == nil {
		l = &live{done: make(chan struct{})}
		s.live[ref] = l
	}
	return l
}

func (s *Store) unfollow(ref Ref, l *live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.followers--
	if l.followers == 0 && l.log == nil && l.cancel == nil && s.live[ref] == l {
		delete(s.live, ref)
	}
}

// logOf gives the record of a job that has not ended; not ok if it has by now.
func (s *Store) logOf(l *live, r Record) (log *events.Log, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.over || s.live[r.ref()] != l {
		return nil, false
	}
	if l.log == nil {
		attempt := r.Attempt
		if r.Status == policy.Queued {
			attempt++
		}
		l.log = events.New(attempt)
		l.log.Queued(r.ID, r.Expires)
	}
	return l.log, true
}

// begin notes that a job runs here.
func (s *Store) begin(c *Claimed, cancel context.CancelFunc) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.entry(c.ref())
	if l.log == nil {
		l.log = events.New(c.Attempt)
		l.log.Queued(c.ID, c.Expires)
	} else if l.log.Restart(c.Attempt) {
		l.log.Queued(c.ID, c.Expires)
	}
	l.lease, l.cancel, l.cancelled, l.lost, l.again = c.Lease(), cancel, c.Cancelled, false, 0
	return l
}

// leave notes that this attempt runs here no longer; by then another may. The entry
// stays while the job has not ended: whoever reads its record reads on in the next
// attempt.
func (s *Store) leave(l *live, lease Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.lease == lease {
		l.cancel = nil
	}
}

// finished tells all who follow a job that it has ended, and end tells its record.
func (s *Store) finished(ref Ref, end func(*events.Log)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.live[ref]
	if l == nil {
		return
	}
	delete(s.live, ref)
	l.over, l.cancel = true, nil
	if l.log != nil {
		end(l.log)
	}
	close(l.done)
}

// decided is finished for a job that was decided without a run.
func (s *Store) decided(r Record) {
	if !Ended(r.Status) {
		return
	}
	s.finished(r.ref(), func(log *events.Log) {
		job, err := jobOf(r)
		if err == nil {
			err = job.Err
		}
		if err != nil {
			log.Fail(s.cfg.Problem(err))
			return
		}
		log.Result(job.Result)
	})
}
