package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"safe-exec/policy"
)

// maxWait bounds a long poll; cancelWait bounds the wait for a killed run,
// which takes milliseconds.
const (
	maxWait    = 60 * time.Second
	cancelWait = 5 * time.Second
)

// getJob is GET /v1/jobs/{id}?wait=30s.
func (s *Server) getJob(x *exchange) error {
	wait, err := waitOf(x.r.URL)
	if err != nil {
		return err
	}
	return s.replyJob(x, wait)
}

// cancelJob is DELETE /v1/jobs/{id}. It may be repeated: a job that has
// finished stays as it is.
func (s *Server) cancelJob(x *exchange) error {
	if _, err := s.jobs.Cancel(x.peer.UID, x.jobID); err != nil {
		return err
	}
	return s.replyJob(x, cancelWait)
}

func (s *Server) replyJob(x *exchange, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(x.r.Context(), wait)
	defer cancel()
	job, err := s.jobs.Wait(ctx, x.peer.UID, x.jobID)
	if err != nil {
		return err
	}
	x.reply(http.StatusOK, jsonType, jobOf(job), s.cfg.ReplyTimeout)
	return nil
}

// waitOf reads the query: wait, a Go duration such as 30s, and nothing else.
func waitOf(u *url.URL) (time.Duration, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return 0, malformed("", "the query is malformed")
	}
	for name, values := range query {
		switch {
		case name != "wait":
			return 0, malformed(clip(name), "unknown query parameter %q", clip(name))
		case len(values) != 1:
			return 0, malformed("wait", "wait is given twice")
		}
		wait, err := time.ParseDuration(values[0])
		if err != nil || wait < 0 {
			return 0, malformed("wait", "wait must be a duration such as 30s")
		}
		if wait > maxWait {
			limit := int64(maxWait / time.Second)
			return 0, &policy.Error{
				Code: policy.CodeTooLarge, Field: "wait", Value: clip(values[0]), Maximum: &limit,
				Message: fmt.Sprintf("wait is at most %v", maxWait),
			}
		}
		return wait, nil
	}
	return 0, nil
}
