package jobs

import (
	"context"
	"errors"
	"time"

	"safe-exec/policy"
)

// stepRead is where a job turns out not to be what was kept.
const stepRead = "jobs.read"

// longestAgain bounds the pause between two attempts.
const longestAgain = time.Minute

// againAfter is the pause behind an attempt that came to nothing by our failure: a
// second behind the first, and then twice as long each time.
func againAfter(attempt int) time.Duration {
	return min(patience<<min(attempt-1, 10), longestAgain)
}

// passing says whether a failure is ours and may be over the next time: a jail that
// could not be made, a template that was killed, an executor that is full or gone.
// What refuses the request would do so again, and so would a request that cannot be
// read.
func passing(err error) bool {
	if err == nil {
		return false
	}
	var e *policy.Error
	if !errors.As(err, &e) {
		return true
	}
	switch e.Code {
	case policy.CodeSetup, policy.CodeUnavailable, policy.CodeBusy:
		return true
	case policy.CodeInternal:
		return e.Step != stepRead
	case policy.CodeInvalid, policy.CodeTooLarge, policy.CodeForbidden, policy.CodeNotFound, policy.CodeConflict: // refusals
	}
	return false
}

func isUnavailable(err error) bool {
	var e *policy.Error
	return errors.As(err, &e) && e.Code == policy.CodeUnavailable
}

// giveUp lets the job go back to the queue, which decides on it after this time: the
// lease goes on for so long, but no worker is bound by it.
func (s *Store) giveUp(c *Claimed, l *live, after time.Duration) {
	s.mu.Lock()
	if l.lease == c.Lease() {
		if l.cancelled { // while it was decided to try again; from here on, hurry is called
			after = 0
		}
		l.cancel, l.again = nil, after
	}
	s.mu.Unlock()
	s.release(c.Lease(), after)
}

// hurry ends the pause of a job that its owner no longer wants.
func (s *Store) hurry(l *live) {
	s.mu.Lock()
	lease := l.lease
	l.again = 0
	s.mu.Unlock()
	s.release(lease, 0)
}

func (s *Store) release(l Lease, after time.Duration) {
	_, err := s.cfg.Queue.Heartbeat(context.WithoutCancel(s.ctx), l, after)
	if err != nil && !errors.Is(err, ErrLost) { // else it has been decided, or runs again
		s.cfg.Logger.Warn("job cannot be given up; its lease runs out", "job_id", l.ID, "error", err)
	}
	if after == 0 {
		s.askSweep()
	}
}
