package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
	if s.cfg.Jobs == nil {
		return errNoJobs
	}
	if _, err := s.cfg.Jobs.Cancel(x.r.Context(), ownerOf(x.peer), x.jobID); err != nil {
		return err
	}
	return s.replyJob(x, cancelWait)
}

func (s *Server) replyJob(x *exchange, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(x.r.Context(), wait)
	defer cancel()
	if s.cfg.Jobs == nil {
		return errNoJobs
	}
	job, err := s.cfg.Jobs.Wait(ctx, ownerOf(x.peer), x.jobID)
	if err != nil {
		return err
	}
	x.reply(http.StatusOK, jsonType, jobOf(job), s.cfg.ReplyTimeout)
	return nil
}

// waitOf reads the query: wait, a Go duration such as 30s, and nothing else.
func waitOf(u *url.URL) (time.Duration, error) {
	query, err := queryOf(u, "wait")
	if err != nil {
		return 0, err
	}
	text, ok := query["wait"]
	if !ok {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, malformed("wait", "wait must be a duration such as 30s")
	}
	if wait > maxWait {
		limit := int64(maxWait / time.Second)
		return 0, &policy.Error{
			Code: policy.CodeTooLarge, Field: "wait", Value: clip(text), Maximum: &limit,
			Message: fmt.Sprintf("wait is at most %v", maxWait),
		}
	}
	return wait, nil
}

// queryOf reads a query that may hold these parameters, once each, and nothing
// else.
func queryOf(u *url.URL, names ...string) (map[string]string, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, malformed("", "the query is malformed")
	}
	found := map[string]string{}
	for name, values := range query {
		switch {
		case !slices.Contains(names, name):
			return nil, malformed(clip(name), "unknown query parameter %q", clip(name))
		case len(values) != 1:
			return nil, malformed(name, "%s is given twice", name)
		}
		found[name] = values[0]
	}
	return found, nil
}
