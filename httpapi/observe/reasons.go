package observe

// Reasons are why requests are turned away for want of room. A reason that is not
// listed is counted as other.
var Reasons = []string{
	"queue_full", "wait_limit", "executor_full", "connections",
	"job_queue_full", "job_queue_share", "concurrency", "rate", "cpu_time", "draining", "ledger",
}
