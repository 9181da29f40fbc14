package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"safe-exec/policy"
)

// runNow is POST /v1/tools/safe-exec, and with ?dry_run=1 a check of the same
// request: slot, body, decoding, work. The slot is free again before the reply
// is written, so a slow reader holds none.
func (s *Server) runNow(x *exchange) error {
	dry, err := s.dryRun(x.r.URL)
	if err != nil {
		return err
	}
	begin := time.Now()
	leave, err := s.runs.enter(x.r.Context())
	if err != nil {
		return err
	}
	waited := time.Since(begin)
	out, err := func() (any, error) {
		defer leave()
		req, err := s.request(x)
		if err != nil {
			return nil, err
		}
		if dry {
			return s.check(x, req, waited)
		}
		return s.execute(x, req, waited)
	}()
	if err != nil {
		return err
	}
	x.reply(http.StatusOK, jsonType, out, s.cfg.ReplyTimeout)
	return nil
}

func (s *Server) execute(x *exchange, req policy.Request, waited time.Duration) (*policy.Result, error) {
	result, err := loggedExecutor{s.cfg.Executor, s.cfg.Logger}.Execute(x.r.Context(), req)
	if err != nil {
		return nil, err
	}
	out := whole(result)
	out.Metrics.Queued(waited)
	return out, nil
}

// check leaves its line to the log of the exchange: there is no job that would
// do it elsewhere.
func (s *Server) check(x *exchange, req policy.Request, waited time.Duration) (*policy.CheckResult, error) {
	checked, err := s.cfg.Checker.CheckProgram(x.r.Context(), req)
	if err != nil {
		return nil, err
	}
	x.attrs = append(x.attrs, checkAttrs(checked)...)
	out := wholeCheck(checked)
	out.Metrics.Queued(waited)
	return out, nil
}

// dryRun reads the query of a run: dry_run, 1 or 0, and nothing else.
func (s *Server) dryRun(u *url.URL) (bool, error) {
	query, err := queryOf(u, "dry_run")
	if err != nil {
		return false, err
	}
	switch query["dry_run"] {
	case "", "0", "false":
		return false, nil
	case "1", "true":
		if s.cfg.Checker == nil {
			return false, policy.Invalid("dry_run", "this daemon does not check programs without running them")
		}
		return true, nil
	}
	return false, malformed("dry_run", "dry_run must be 1 or 0")
}

// runLater is POST /v1/tools/safe-exec/async: a place in the queue first, then
// the body.
func (s *Server) runLater(x *exchange) error {
	if _, err := queryOf(x.r.URL); err != nil {
		return err
	}
	place, err := s.jobs.Reserve(x.peer.UID)
	if err != nil {
		return queueFull(err)
	}
	defer place.Release()
	leave, err := s.intake.enter(x.r.Context())
	if err != nil {
		return err
	}
	req, err := s.request(x)
	leave()
	if err == nil && s.cfg.Check != nil {
		err = s.cfg.Check(req)
	}
	if err != nil {
		return err
	}
	job, err := place.Submit(req)
	if err != nil {
		return err
	}
	x.attrs = append(x.attrs, slog.String("job_id", job.ID))
	x.w.Header().Set("Location", jobPrefix+job.ID)
	x.reply(http.StatusAccepted, jsonType, Submitted{JobID: job.ID, Status: job.Status}, s.cfg.ReplyTimeout)
	return nil
}

func (s *Server) request(x *exchange) (policy.Request, error) {
	req, err := s.readRequest(x.w, x.r)
	if err != nil {
		return req, err
	}
	x.attrs = append(x.attrs, codeAttrs(req)...)
	return req, nil
}

func queueFull(err error) error {
	var e *policy.Error
	if errors.As(err, &e) && e.Code == policy.CodeBusy {
		return &refusal{status: http.StatusTooManyRequests, reason: "job_queue_full", cause: e}
	}
	return err
}
