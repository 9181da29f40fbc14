package httpapi

import (
	"math"
	"net/http"
	"time"

	"safe-exec/policy"
)

// BusyReason says what was full, in a reply of status 429.
type BusyReason string

const (
	BusyCallerRuns   BusyReason = "caller_runs"    // this caller has all its runs at once: as many waiting as it may, or none ended in time
	BusyCallerQueue  BusyReason = "caller_queue"   // this caller has as many waiting as it may
	BusyCallerRate   BusyReason = "caller_rate"    // this caller sent too many requests a minute
	BusyCallerCPU    BusyReason = "caller_cpu"     // this caller used up its processor time of the hour
	BusyQueueFull    BusyReason = "queue_full"     // slots and waiting places are taken, by all together
	BusyWaitLimit    BusyReason = "wait_limit"     // no slot became free in time
	BusyConnections  BusyReason = "connections"    // too many connections, or no descriptor left for one
	BusyJobQueueFull BusyReason = "job_queue_full" // the queue of jobs, or this caller's part of it
	BusyReplies      BusyReason = "replies"        // too many large replies are being taken, by this caller or by all
	BusyBodies       BusyReason = "bodies"         // too many large requests are being sent, by this caller or by all
	BusyExecutorFull BusyReason = "executor_full"  // whoever runs programs had no room
)

// BusyReasons lists them all.
func BusyReasons() []BusyReason {
	return []BusyReason{
		BusyCallerRuns, BusyCallerQueue, BusyCallerRate, BusyCallerCPU, BusyQueueFull,
		BusyWaitLimit, BusyConnections, BusyJobQueueFull, BusyReplies, BusyBodies, BusyExecutorFull,
	}
}

// minRetry is the least that a refused caller is told to wait: whoever comes too
// early is only refused again. maxRetry is an hour, which is as far back as
// anything is counted.
const (
	minRetry = time.Second
	maxRetry = time.Hour
)

// busy makes a refusal that says when to come back.
func busy(reason BusyReason, after time.Duration, message string) error {
	return &refusal{
		status: http.StatusTooManyRequests, retry: retrySeconds(after),
		cause: &policy.Error{Code: policy.CodeBusy, Reason: string(reason), Message: message},
	}
}

// retrySeconds rounds up to what a Retry-After header can say.
func retrySeconds(after time.Duration) int64 {
	return int64(math.Ceil(min(max(after, minRetry), maxRetry).Seconds()))
}
