package observe

// Reasons are why requests are turned away for want of room, as the API names them.
// A reason that is not listed is counted as other.
var Reasons = []string{
	"caller_runs", "caller_queue", "caller_rate", "caller_cpu",
	"queue_full", "wait_limit", "connections", "job_queue_full", "replies", "bodies", "executor_full",
}
