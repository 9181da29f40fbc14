package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"safe-exec/policy"
)

// runNow is POST /v1/tools/safe-exec: slot, body, decoding, work. The slot is
// free again before the reply is written, so a slow reader holds none.
func (s *Server) runNow(x *exchange) error {
	begin := time.Now()
	leave, err := s.runs.enter(x.r.Context())
	if err != nil {
		return err
	}
	waited := milliseconds(time.Since(begin))
	result, err := func() (*policy.Result, error) {
		defer leave()
		req, err := s.request(x)
		if err != nil {
			return nil, err
		}
		return loggedExecutor{s.cfg.Executor, s.cfg.Logger}.Execute(x.r.Context(), req)
	}()
	if err != nil {
		return err
	}
	out := whole(result)
	out.Metrics.QueueTimeMS += waited
	out.Metrics.TotalTimeMS += waited
	x.reply(http.StatusOK, jsonType, out, s.cfg.ReplyTimeout)
	return nil
}

// runLater is POST /v1/tools/safe-exec/async: a place in the queue first, then
// the body.
func (s *Server) runLater(x *exchange) error {
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
	req, err := readRequest(x.w, x.r, s.cfg.BodyTimeout)
	if err != nil {
		return req, err
	}
	x.attrs = append(x.attrs, codeAttrs(req)...)
	if s.cfg.Check != nil {
		err = s.cfg.Check(req)
	}
	return req, err
}

func queueFull(err error) error {
	var e *policy.Error
	if errors.As(err, &e) && e.Code == policy.CodeBusy {
		return &refusal{status: http.StatusTooManyRequests, reason: "job_queue_full", cause: e}
	}
	return err
}
