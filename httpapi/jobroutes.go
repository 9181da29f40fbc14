package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"safe-exec/httpapi/events"
	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

const (
	idempotencyKey = "Idempotency-Key"
	// maxKey bounds an idempotency key, in bytes.
	maxKey = 255
	// cancelWait bounds the wait for a killed run, which takes milliseconds.
	cancelWait = 5 * time.Second
)

// runLater is POST /v1/tools/safe-exec/async: a place in the queue first, then
// the body. The job is kept when the reply goes out.
func (s *Server) runLater(x *exchange) error {
	ttl, err := ttlOf(x.query)
	if err != nil {
		return err
	}
	key, err := keyOf(x.r.Header)
	if err != nil {
		return err
	}
	place, err := s.cfg.Jobs.ReserveUpTo(x.owner(), x.allowance.JobsQueued)
	if err != nil {
		return s.replay(x, key, err)
	}
	defer place.Release()
	req, digest, err := s.requestLater(x)
	if err != nil {
		return err
	}
	job, existed, err := place.Submit(context.WithoutCancel(x.r.Context()), jobs.Submission{Request: req, Weight: x.allowance.Weight, AtOnce: x.allowance.JobRuns, Key: key, Digest: digest, TTL: ttl})
	if err != nil {
		return otherBody(err)
	}
	s.accepted(x, job, existed)
	return nil
}

func (s *Server) accepted(x *exchange, job jobs.Job, existed bool) {
	x.attrs = append(x.attrs, slog.String("job_id", job.ID))
	x.w.Header().Set("Location", jobPrefix+job.ID)
	if existed {
		x.w.Header().Set("Idempotency-Replayed", "true")
	}
	x.reply(http.StatusAccepted, jsonType, Submitted{JobID: job.ID, Status: job.Status, ExpiresAt: job.Expires.UTC()}, s.cfg.ReplyTimeout)
}

// replay looks whether a request that finds no place has one already: a caller who
// did not get his 202 would otherwise hear that nothing was taken. The body is read
// for it, by who has a slot of the intake.
func (s *Server) replay(x *exchange, key string, full error) error {
	var e *policy.Error
	if key == "" || !errors.As(full, &e) || e.Code != policy.CodeBusy {
		return full
	}
	leave, err := s.enter(x, s.intake)
	if err != nil {
		return err
	}
	defer leave()
	_, digest, err := s.readRequest(x)
	if err != nil {
		return err
	}
	job, err := s.cfg.Jobs.Replay(x.r.Context(), x.owner(), key, digest)
	switch {
	case err != nil:
		return otherBody(err)
	case job == nil:
		return full
	}
	s.accepted(x, *job, true)
	return nil
}

// requestLater reads a request that nobody waits for, and has it refused now if it
// would be refused then.
func (s *Server) requestLater(x *exchange) (req policy.Request, digest [32]byte, err error) {
	leave, err := s.enter(x, s.intake)
	if err != nil {
		return req, digest, err
	}
	defer leave()
	req, digest, err = s.request(x)
	if err == nil && s.cfg.Resolve != nil {
		// The whole request is there, so it becomes a job though its caller has gone: he
		// may be one who closed only the side that he sent it by.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(x.r.Context()), s.cfg.ReplyTimeout)
		defer cancel()
		err = s.cfg.Resolve(ctx, req)
	}
	return req, digest, err
}

// keyOf reads Idempotency-Key: 1 to 255 printable ASCII characters. Whether the
// same key means the same request is told by the SHA-256 of the body as it was
// sent: a retry sends the very same bytes.
func keyOf(h http.Header) (string, error) {
	values := h.Values(idempotencyKey)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if len(values) > 1 || key == "" || len(key) > maxKey {
		return "", malformed(idempotencyKey, "must be given once and have 1 to %d characters", maxKey)
	}
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' {
			return "", malformed(idempotencyKey, "may hold printable ASCII characters only")
		}
	}
	return key, nil
}

// otherBody tells a key that was used for another body (422: the request is
// wrong, and stays so) from a state that does not allow something (409).
func otherBody(err error) error {
	var e *policy.Error
	if errors.As(err, &e) && e.Code == policy.CodeConflict && e.Field == idempotencyKey {
		return &refusal{status: http.StatusUnprocessableEntity, cause: e}
	}
	return err
}

// getJob is GET /v1/jobs/{id}?wait=30s.
func (s *Server) getJob(x *exchange) error {
	wait, err := waitOf(x.query)
	if err != nil {
		return err
	}
	return s.replyJob(x, wait)
}

// cancelJob is DELETE /v1/jobs/{id}. It may be repeated: a job that has
// finished stays as it is.
func (s *Server) cancelJob(x *exchange) error {
	if _, err := s.cfg.Jobs.Cancel(x.r.Context(), x.owner(), x.jobID); err != nil {
		return err
	}
	return s.replyJob(x, cancelWait)
}

func (s *Server) replyJob(x *exchange, wait time.Duration) error {
	var job jobs.Job
	var err error
	if wait > 0 {
		ctx, cancel := context.WithTimeout(x.r.Context(), wait)
		defer cancel()
		job, err = s.cfg.Jobs.Wait(ctx, x.owner(), x.jobID)
	} else {
		job, err = s.cfg.Jobs.Peek(x.r.Context(), x.owner(), x.jobID)
	}
	if err != nil {
		return err
	}
	release, err := s.replies.take(x.r.Context(), x.caller, shownCopies*int64(job.Size))
	if err != nil {
		return err
	}
	defer release()
	if jobs.Ended(job.Status) {
		// Who waited for the end while the daemon drains gets it, too.
		job, result, err := s.cfg.Jobs.Shown(context.WithoutCancel(x.r.Context()), x.owner(), x.jobID)
		if err != nil {
			return err
		}
		return x.replyJob(job, result, s.cfg.ReplyTimeout)
	}
	return x.replyJob(job, nil, s.cfg.ReplyTimeout)
}

// listJobs is GET /v1/jobs?status=&limit=&after=: the caller's own, newest first,
// without results.
func (s *Server) listJobs(x *exchange) error {
	o, err := listOf(x.query)
	if err != nil {
		return err
	}
	list, next, err := s.cfg.Jobs.List(x.r.Context(), x.owner(), o)
	if err != nil {
		return err
	}
	out := JobList{Jobs: make([]Job, len(list)), Next: next}
	for i, j := range list {
		out.Jobs[i] = jobOf(j)
	}
	x.reply(http.StatusOK, jsonType, out, s.cfg.ReplyTimeout)
	return nil
}

// jobEvents is GET /v1/jobs/{id}/events. Last-Event-ID goes on behind an event;
// one that this job has not tells all from the start. To who has seen the last
// event it answers 204, which is how a browser is told not to come again.
func (s *Server) jobEvents(x *exchange) error {
	after, err := lastEventOf(x.r.Header)
	if err != nil {
		return err
	}
	job, err := s.cfg.Jobs.Peek(x.r.Context(), x.owner(), x.jobID)
	if err != nil {
		return err
	}
	release, err := s.replies.take(x.r.Context(), x.caller, toldCopies*int64(job.Size))
	if err != nil {
		return err
	}
	defer release()
	log, err := s.cfg.Jobs.Events(x.r.Context(), x.owner(), x.jobID)
	if err != nil {
		return err
	}
	if after != (events.ID{}) && log.Done() == after {
		x.head(http.StatusNoContent, s.cfg.ReplyTimeout)
		return nil
	}
	return s.follow(x, log, after, jobs.Ended(job.Status))
}

func lastEventOf(h http.Header) (events.ID, error) {
	values := h.Values("Last-Event-ID")
	switch {
	case len(values) == 0:
		return events.ID{}, nil
	case len(values) > 1:
		return events.ID{}, malformed("Last-Event-ID", "is given twice")
	}
	id, err := events.ParseID(values[0])
	if err != nil {
		return events.ID{}, malformed("Last-Event-ID", "must be the id of an event, such as 1.7")
	}
	return id, nil
}
