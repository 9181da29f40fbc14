package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"safe-exec/httpapi/events"
	"safe-exec/policy"
)

// Job is a job as it stood at one moment. Result and Err are set once it has
// ended, one of them.
type Job struct {
	ID       string
	Owner    Owner
	Status   policy.Status // queued, running, or how it ended
	Created  time.Time
	Started  time.Time // of its latest attempt; zero until it runs
	Finished time.Time // zero until it has ended
	Expires  time.Time // until when it may wait
	Attempt  int       // starts so far
	Result   *policy.Result
	Err      error // our failure, in place of a result
	Size     int   // of the result as JSON, about, in bytes; from Peek and Wait
}

func jobOf(r Record) (Job, error) {
	job, _, err := withLast(r)
	return job, err
}

// withLast also gives the id of the last event that readers were told.
func withLast(r Record) (Job, events.ID, error) {
	job := Job{
		ID: r.ID, Owner: r.Owner, Status: r.Status, Attempt: r.Attempt, Size: r.Size,
		Created: r.Created, Started: r.Started, Finished: r.Finished, Expires: r.Expires,
	}
	if r.Verdict == nil {
		return job, events.ID{}, nil
	}
	v, last, err := decodeVerdict(r.Status, r.Verdict)
	if err != nil {
		return Job{}, events.ID{}, unreadable(r, err)
	}
	if job.Result = v.Result; v.Error != nil {
		job.Err = v.Error
	}
	return job, last, nil
}

// Get gives the job as it stands. A job of another owner, one that was forgotten
// and one that never was look alike: CodeNotFound.
func (s *Store) Get(ctx context.Context, owner Owner, id string) (Job, error) {
	r, err := s.cfg.Queue.Get(ctx, owner, id)
	if err != nil {
		return Job{}, err
	}
	return jobOf(r)
}

// Peek is Get without Result and Err, but with their size.
func (s *Store) Peek(ctx context.Context, owner Owner, id string) (Job, error) {
	r, err := s.cfg.Queue.Peek(ctx, owner, id)
	if err != nil {
		return Job{}, err
	}
	return jobOf(r)
}

// Shown is Get that gives the result as it is kept, which is the JSON that is shown
// of it; Result stays empty.
func (s *Store) Shown(ctx context.Context, owner Owner, id string) (job Job, result json.RawMessage, err error) {
	r, err := s.cfg.Queue.Get(ctx, owner, id)
	if err != nil {
		return Job{}, nil, err
	}
	body := r.Verdict
	r.Verdict = nil
	if job, err = jobOf(r); err != nil || body == nil {
		return job, nil, err
	}
	v, err := showVerdict(r.Status, body)
	if err != nil {
		return Job{}, nil, unreadable(r, err)
	}
	if v.Error != nil {
		job.Err = v.Error
	}
	return job, v.Result, nil
}

func unreadable(r Record, err error) error {
	return &policy.Error{Code: policy.CodeInternal, Step: stepRead, Err: fmt.Errorf("job %s: %w", r.ID, err)}
}

// Wait is Peek that first waits until the job has ended, ctx is done or the store
// is closed; neither of these is an error. Waiting asks the queue nothing.
func (s *Store) Wait(ctx context.Context, owner Owner, id string) (Job, error) {
	ref := Ref{owner, id}
	l := s.follow(ref)
	defer s.unfollow(ref, l)
	asking := context.WithoutCancel(ctx)
	job, err := s.Peek(asking, owner, id)
	if err != nil || Ended(job.Status) {
		return job, err
	}
	select {
	case <-l.done:
	case <-s.closed:
	case <-ctx.Done():
	}
	now, err := s.Peek(asking, owner, id)
	if err != nil && s.isClosing() {
		return job, nil
	}
	return now, err
}

// Cancel ends the job: one that waits never runs, one that runs is killed (Wait
// tells when), one that has finished stays as it is.
func (s *Store) Cancel(ctx context.Context, owner Owner, id string) (Job, error) {
	r, err := s.cfg.Queue.Cancel(ctx, owner, id)
	if err != nil {
		return Job{}, err
	}
	if r.Status == policy.Running {
		s.mu.Lock()
		l := s.live[r.ref()]
		if l != nil && l.cancel != nil {
			l.cancelled = true
			l.cancel()
			l = nil
		}
		s.mu.Unlock()
		if l != nil {
			s.hurry(l)
		}
	} else {
		s.decided(r)
	}
	if r.Decided {
		s.tellEnded(r)
	}
	return jobOf(r)
}

// List gives a page of the owner's jobs, newest first and without results, and
// what After is for the next page; that is empty at the end.
func (s *Store) List(ctx context.Context, owner Owner, o ListOptions) (page []Job, next string, err error) {
	records, next, err := s.cfg.Queue.List(ctx, owner, o)
	for _, r := range records {
		r.Verdict = nil
		job, err := jobOf(r)
		if err != nil {
			return nil, "", err
		}
		page = append(page, job)
	}
	return page, next, err
}

// Events gives the record of the job: the live one, which a reader can follow
// until the job has ended, or one made from the verdict.
func (s *Store) Events(ctx context.Context, owner Owner, id string) (*events.Log, error) {
	ref := Ref{owner, id}
	for {
		l := s.follow(ref)
		r, err := s.cfg.Queue.Get(ctx, owner, id)
		if err != nil || Ended(r.Status) {
			s.unfollow(ref, l)
			if err != nil {
				return nil, err
			}
			return s.rebuild(r)
		}
		if log, ok := s.logOf(l, r); ok {
			s.unfollow(ref, l)
			return log, nil
		}
		s.unfollow(ref, l) // it has ended meanwhile
		if s.isClosing() {
			return nil, errClosing
		}
	}
}

func (s *Store) rebuild(r Record) (*events.Log, error) {
	job, last, err := withLast(r)
	if err != nil {
		return nil, err
	}
	return events.Rebuild(s.endedOf(job, last)), nil
}

func (s *Store) endedOf(job Job, last events.ID) events.Ended {
	e := events.Ended{JobID: job.ID, Expires: job.Expires, Last: last, Result: job.Result}
	// Only a worker's verdict knows the last event, and a program that never started
	// has three: queued, result, done.
	e.Ran = last.N > 3
	if job.Err != nil {
		e.Problem = s.cfg.Problem(job.Err)
	}
	return e
}

// checkEvery spares the disk: whoever asks more often hears what was so.
const checkEvery = time.Second

// Ready says whether a job sent now would be kept: nil, or a *policy.Error with
// CodeUnavailable whose message a caller may see.
func (s *Store) Ready(ctx context.Context) error {
	if s.isClosing() {
		return errClosing
	}
	s.checking.Lock()
	defer s.checking.Unlock()
	if s.checked.IsZero() || time.Since(s.checked) >= checkEvery {
		s.wrong = s.cfg.Queue.Check(context.WithoutCancel(ctx))
		s.checked = time.Now()
	}
	return s.wrong
}

// Depth counts the jobs that wait and those that run here.
func (s *Store) Depth(ctx context.Context) (waiting, running int, err error) {
	waiting, _, err = s.cfg.Queue.Depth(ctx, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.live {
		if l.cancel != nil {
			running++
		}
	}
	return waiting, running, err
}
