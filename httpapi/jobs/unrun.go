package jobs

import (
	"encoding/json"

	"safe-exec/policy"
)

// unrun says what becomes of a job that is decided without a run.
var unrun = map[policy.Reason]struct {
	status policy.Status
	hint   string
}{
	policy.ReasonCancelled: {policy.Cancelled, "The job was cancelled before it ran."},
	policy.ReasonExpired:   {policy.Cancelled, "The job waited past its deadline; submit it again, with a longer ttl if it may wait."},
	policy.ReasonRestarted: {policy.Errored, "The daemon ended each time while this program ran, so it is not tried again; submit it again if the program is not the cause."},
}

// WithoutRun is the verdict on a job that is decided without a run, or without
// another one: the reason is cancelled, expired or restarted.
func WithoutRun(id string, reason policy.Reason, attempt int) Verdict {
	r := resultWithoutRun(id, reason, attempt)
	// A result made of constants has a JSON form.
	body, _ := json.Marshal(verdict{Result: r})
	return Verdict{Status: r.Status, Body: body}
}

func resultWithoutRun(id string, reason policy.Reason, attempt int) *policy.Result {
	u := unrun[reason]
	r := &policy.Result{
		Status: u.status, ExecutionID: id, ResultJSON: []byte("null"),
		Metrics:     policy.Metrics{Attempt: int64(attempt)},
		Termination: policy.Termination{Reason: reason, Hint: u.hint},
	}
	return r.Whole()
}
