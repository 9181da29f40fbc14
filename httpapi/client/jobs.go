package client

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

const (
	poll      = 25 * time.Second // one long poll; the daemon allows 60 s
	lostTries = 4                // of a job whose reply does not come
)

// Job is a job as it stood at one moment. A finished one has a Result or an
// Err. Times that have not come are zero.
type Job struct {
	ID                                  string
	Status                              policy.Status
	Attempt                             int // how often it was started
	Created, Started, Finished, Expires time.Time
	Result                              *policy.Result
	Err                                 error // a *policy.Error
}

// Done says whether the job has finished.
func (j Job) Done() bool { return j.Status != policy.Queued && j.Status != policy.Running }

type jobReply struct {
	JobID      string           `json:"job_id"`
	Status     policy.Status    `json:"status"`
	Attempt    int              `json:"attempt"`
	CreatedAt  time.Time        `json:"created_at"`
	StartedAt  time.Time        `json:"started_at"`
	FinishedAt time.Time        `json:"finished_at"`
	ExpiresAt  time.Time        `json:"expires_at"`
	Result     *policy.Result   `json:"result"`
	Error      *httpapi.Problem `json:"error"`
}

func (r jobReply) job() Job {
	j := Job{ID: r.JobID, Status: r.Status, Attempt: r.Attempt, Created: r.CreatedAt, Started: r.StartedAt, Finished: r.FinishedAt, Expires: r.ExpiresAt, Result: r.Result}
	if r.Error != nil {
		j.Err = r.Error.Err(r.Error.Status)
	}
	return j
}

// SubmitOptions are what a job has beside its request.
type SubmitOptions struct {
	// Key is the Idempotency-Key: the same key and request is the same job,
	// another request under it CodeConflict. Empty makes one for this call.
	Key string
	// TTL is how long the job may wait for its start; zero leaves it to the
	// daemon.
	TTL time.Duration
}

// Submit queues a request; the job survives this process and the daemon's. A
// request whose reply is lost is sent again, a few times, under its key, so that
// there is one job.
func (c *Client) Submit(ctx context.Context, req policy.Request, opts SubmitOptions) (Job, error) {
	body, err := encode(req)
	if err != nil {
		return Job{}, err
	}
	if opts.Key == "" {
		opts.Key = rand.Text()
	}
	path := runPath + "/async"
	if opts.TTL != 0 {
		path += "?ttl=" + url.QueryEscape(opts.TTL.String())
	}
	header := http.Header{"Idempotency-Key": {opts.Key}}
	if err := sendable(header); err != nil {
		return Job{}, err
	}
	for try := 1; ; try++ {
		var reply jobReply
		err := c.callWith(ctx, http.MethodPost, path, header, body, &reply)
		switch {
		case err == nil && reply.JobID == "":
			return Job{}, &policy.Error{Code: policy.CodeInternal, Message: "the daemon took the job and gave no id"}
		case err == nil:
			return reply.job(), nil
		case try == lostTries || ctx.Err() != nil || !lost(err):
			return Job{}, err
		}
		if err := sleep(ctx, firstPause<<(try-1)); err != nil {
			return Job{}, c.unreachable(err)
		}
	}
}

// sendable refuses a header that HTTP cannot carry: net/http would call that a failure of
// the connection.
func sendable(header http.Header) error {
	for name, values := range header {
		for _, value := range values {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
				return policy.Invalid(name, "must be printable ASCII characters")
			}
		}
	}
	return nil
}

// lost says whether the request may have arrived although no reply did.
func lost(err error) bool {
	var e *policy.Error
	if !errors.As(err, &e) || e.Code != policy.CodeUnavailable || e.Err == nil {
		return false // a 503 is a reply, and wraps nothing
	}
	var op *net.OpError
	return !errors.As(err, &op) || op.Op != "dial"
}

// Job gives the job as it stands, or after it has finished, for which it waits
// at most that long (the daemon allows 60 s). CodeNotFound: this caller has no
// such job, or it has been forgotten.
func (c *Client) Job(ctx context.Context, id string, wait time.Duration) (Job, error) {
	path := jobPath(id)
	if wait > 0 {
		path += "?wait=" + url.QueryEscape(wait.String())
	}
	var reply jobReply
	err := c.call(ctx, http.MethodGet, path, nil, &reply)
	return reply.job(), err
}

// Wait gives the job after it has finished. A job outlives its daemon: one that
// goes away meanwhile is waited for, a little, and one that says when to come back
// for as long as it says, however often. When ctx is done it fails with
// CodeUnavailable, and the job goes on.
func (c *Client) Wait(ctx context.Context, id string) (Job, error) {
	var wait backoff
	for seen := false; ; {
		begin := time.Now()
		job, err := c.Job(ctx, id, poll)
		switch {
		case err == nil && job.Done():
			return job, nil
		case err != nil:
			_, there := RetryAfter(err)
			if seen = seen || there; !seen {
				return Job{}, err // it was never there
			}
			if err := wait.after(ctx, err); err != nil {
				return Job{}, err
			}
			continue
		}
		seen, wait.breaks = true, 0
		// One that does not wait, since it is about to end, is not asked without
		// a pause.
		if time.Since(begin) < time.Second {
			_ = sleep(ctx, 2*firstPause) // the next call sees that ctx is done
		}
	}
}

// Cancel ends the job and gives it as it stands: a waiting one never runs, a
// running one is killed, a finished one stays as it is.
func (c *Client) Cancel(ctx context.Context, id string) (Job, error) {
	var reply jobReply
	err := c.call(ctx, http.MethodDelete, jobPath(id), nil, &reply)
	return reply.job(), err
}

// ListOptions pick jobs; zero fields pick all.
type ListOptions struct {
	Status policy.Status
	After  string // what the page before gave as next
	Limit  int    // of a page; zero leaves it to the daemon
}

// List gives a page of this caller's jobs, the newest first, without results.
// next is empty after the last page.
func (c *Client) List(ctx context.Context, opts ListOptions) (jobs []Job, next string, err error) {
	query := url.Values{}
	if opts.Status != "" {
		query.Set("status", string(opts.Status))
	}
	if opts.After != "" {
		query.Set("after", opts.After)
	}
	if opts.Limit != 0 {
		query.Set("limit", strconv.Itoa(opts.Limit))
	}
	path := jobsPath
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var reply struct {
		Jobs []jobReply `json:"jobs"`
		Next string     `json:"next"`
	}
	if err := c.call(ctx, http.MethodGet, path, nil, &reply); err != nil {
		return nil, "", err
	}
	for _, r := range reply.Jobs {
		jobs = append(jobs, r.job())
	}
	return jobs, reply.Next, nil
}

func jobPath(id string) string { return jobsPath + "/" + url.PathEscape(id) }
