package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

const (
	jsonType = "application/json"
	textType = "text/plain; charset=utf-8"
)

// reply writes v. It is encoded before the first byte goes out, so that what
// cannot be encoded is a 500 and no half reply, and a caller that does not
// read has timeout to take it.
func (x *exchange) reply(status int, media string, v any, timeout time.Duration) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		status, media = http.StatusInternalServerError, ProblemType
		body.Reset()
		// A Problem made here holds strings and numbers only.
		_ = enc.Encode(ProblemOf(err))
	}
	x.send(status, media, timeout, body.Bytes())
}

// replyJob writes a job with its result as it was kept, without a copy.
func (x *exchange) replyJob(job jobs.Job, result json.RawMessage, timeout time.Duration) error {
	if result == nil {
		x.reply(http.StatusOK, jsonType, jobOf(job), timeout)
		return nil
	}
	head, err := json.Marshal(jobOf(job))
	if err != nil {
		return err
	}
	x.send(http.StatusOK, jsonType, timeout, head[:len(head)-1], []byte(`,"result":`), result, []byte("}\n"))
	return nil
}

// replyText writes plain text.
func (x *exchange) replyText(text string, timeout time.Duration) {
	x.send(http.StatusOK, textType, timeout, []byte(text))
}

func (x *exchange) send(status int, media string, timeout time.Duration, parts ...[]byte) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	x.w.Header().Set("Content-Type", media)
	x.w.Header().Set("Content-Length", strconv.Itoa(size))
	x.head(status, takingTime(timeout, size))
	for _, part := range parts {
		if _, err := x.w.Write(part); err != nil {
			return
		}
	}
}

// head writes the status line and the headers of a reply that is to be taken within
// timeout.
//
// Before it sends them, net/http reads what is left of a body, if that is 256 KiB at
// most. A caller who never sends it would get no answer: the time for that would be
// over.
func (x *exchange) head(status int, timeout time.Duration) {
	x.status = status
	control := http.NewResponseController(x.w)
	// The errors would say that the connection is gone; so will the write.
	_ = control.SetWriteDeadline(time.Now().Add(x.patience + timeout))
	if x.r.ContentLength != 0 && !x.bodyEnded {
		_ = control.SetReadDeadline(time.Now().Add(x.patience))
	}
	x.w.WriteHeader(status)
}

// wholeCheck is policy.Result.Whole for a check.
func wholeCheck(c *policy.CheckResult) *policy.CheckResult {
	out := *c
	policy.OrEmpty(&out.Imports)
	policy.OrEmpty(&out.Violations)
	policy.OrEmpty(&out.Layers)
	policy.OrEmpty(&out.PolicyDeny)
	policy.OrEmpty(&out.Termination.Evidence)
	return &out
}

// Submitted is the answer to an asynchronous request.
type Submitted struct {
	JobID     string        `json:"job_id"`
	Status    policy.Status `json:"status"`
	ExpiresAt time.Time     `json:"expires_at"` // when it will be given up if it still waits
}

// Job is a job as the API shows it. A finished one has a Result or, where we
// failed or refused, an Error; in a list it has no Result.
type Job struct {
	JobID      string         `json:"job_id"`
	Status     policy.Status  `json:"status"`
	Attempt    int            `json:"attempt"` // how often it was started
	CreatedAt  time.Time      `json:"created_at"`
	ExpiresAt  time.Time      `json:"expires_at"`
	StartedAt  *time.Time     `json:"started_at,omitempty"`
	FinishedAt *time.Time     `json:"finished_at,omitempty"`
	Result     *policy.Result `json:"result,omitempty"`
	Error      *Problem       `json:"error,omitempty"`
}

// JobList is a page of the caller's jobs, newest first.
type JobList struct {
	Jobs []Job  `json:"jobs"`
	Next string `json:"next,omitempty"` // the cursor of the next page, if there is one
}

func jobOf(j jobs.Job) Job {
	out := Job{
		JobID: j.ID, Status: j.Status, Attempt: j.Attempt, CreatedAt: j.Created.UTC(), ExpiresAt: j.Expires.UTC(),
		StartedAt: at(j.Started), FinishedAt: at(j.Finished),
	}
	if j.Result != nil {
		out.Result = j.Result.Whole()
	}
	if j.Err != nil {
		p := ProblemOf(j.Err)
		out.Error = &p
	}
	return out
}

func at(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
