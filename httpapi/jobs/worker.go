package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"safe-exec/httpapi/events"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// patience is how long a worker waits before it asks something again that cannot
// be had now: a store that cannot be written, an executor that is gone.
const patience = time.Second

// work runs jobs until the store closes.
func (s *Store) work() {
	for !s.isClosing() {
		if s.cfg.MayRun() != nil { // an attempt would be used up for nothing
			s.pause(s.closing)
			continue
		}
		c, err := s.cfg.Queue.Claim(s.ctx, s.cfg.Lease)
		switch {
		case err != nil:
			s.cfg.Logger.Error("no job can be claimed", "error", err)
			s.pause(s.closing)
		case c != nil:
			s.run(c)
		default:
			select {
			case <-s.ready:
			case <-s.closing:
			}
		}
	}
}

// pause waits out the patience, or until the channel is closed: then it is false.
func (s *Store) pause(until <-chan struct{}) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-until:
		return false
	}
}

func (s *Store) run(c *Claimed) {
	origin := observe.Origin{Kind: observe.Job, JobID: c.ID, Attempt: int64(c.Attempt), Waited: c.Waited}
	ctx, cancel := context.WithCancel(observe.With(s.ctx, origin))
	defer cancel()
	l := s.begin(c, cancel)
	defer s.leave(l, c.Lease())
	if c.Cancelled {
		cancel()
	}
	result, err := s.attempt(ctx, c, l.log)
	s.mu.Lock()
	cancelled, lost := l.cancelled, l.lost
	s.mu.Unlock()
	switch {
	case lost:
		return
	case err == nil && (result.Status != policy.Cancelled || cancelled):
	case cancelled:
		// It may well say by an error that it had no jail yet, and the owner asked
		// for exactly that.
		result, err = resultWithoutRun(c.ID, policy.ReasonCancelled, c.Attempt), nil
	case s.ctx.Err() != nil:
		s.giveUp(c, l, 0) // killed by Close and by nobody else
		return
	case passing(err) && (c.Attempt < s.cfg.MaxAttempts || isUnavailable(err)):
		s.cfg.Logger.Warn("job goes back to the queue", "job_id", c.ID, "attempt", c.Attempt, "error", err)
		s.giveUp(c, l, againAfter(c.Attempt))
		s.pause(s.closing) // the next job would hardly fare better just now
		return
	}
	s.complete(c, l, result, err)
}

// attempt runs the request of a job and gives a result, or an error, as it is to
// be kept.
func (s *Store) attempt(ctx context.Context, c *Claimed, log *events.Log) (*policy.Result, error) {
	req, err := decodeRequest(c.Request)
	if err != nil {
		return nil, &policy.Error{Code: policy.CodeInternal, Step: stepRead, Err: fmt.Errorf("job %s: %w", c.ID, err)}
	}
	req.Watch = log.Watch
	result, err := s.execute(ctx, req)
	if err != nil {
		return nil, err
	}
	out := result.Whole()
	out.Metrics.Queued(c.Waited)
	out.Metrics.Attempt = int64(c.Attempt)
	return out, nil
}

// execute turns a panic of the executor into this job's error: one bad job must
// not end all the others.
func (s *Store) execute(ctx context.Context, req policy.Request) (result *policy.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	result, err = s.cfg.Executor.Execute(ctx, req)
	if err == nil && result == nil {
		err = &policy.Error{Code: policy.CodeInternal, Err: errors.New("executor gave neither result nor error")}
	}
	return result, err
}

// complete keeps the verdict, and tells it to nobody before it is kept: a process
// that ends in between runs the job again, and might end it otherwise.
func (s *Store) complete(c *Claimed, l *live, result *policy.Result, failed error) {
	log := s.cfg.Logger.With(slog.String("job_id", c.ID), slog.Int("attempt", c.Attempt))
	if failed != nil {
		log.Error("job failed", "error", failed)
	}
	last := l.log.Seal()
	v, err := encodeVerdict(result, failed, last)
	for tried := false; ; {
		if err == nil {
			err = s.cfg.Queue.Complete(context.WithoutCancel(s.ctx), c.Lease(), v)
		}
		switch {
		case err == nil:
			s.finished(c.ref(), func(to *events.Log) {
				if failed != nil {
					to.Fail(s.cfg.Problem(failed))
				} else {
					to.Result(result)
				}
			})
			s.count(len(v.Body))
			return
		case errors.Is(err, ErrLost):
			log.Warn("a verdict came after the job had been decided")
			s.decidedByQueue(c.ref())
			return
		case isUnavailable(err):
			log.Error("a verdict cannot be kept yet", "error", err)
			if !s.pause(s.ctx.Done()) {
				s.giveUp(c, l, 0)
				return
			}
			err = nil
		case !tried: // this verdict never can be; that we failed can
			log.Error("a verdict cannot be kept", "error", err)
			tried, failed = true, &policy.Error{Code: policy.CodeInternal, Err: err}
			v, err = encodeVerdict(nil, failed, last)
		default:
			log.Error("a verdict cannot be kept", "error", err)
			s.giveUp(c, l, 0)
			return
		}
	}
}
