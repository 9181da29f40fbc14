// Package jobs runs programs whose callers do not wait on the line: a bounded and
// durable queue, a fixed number of workers, and the results until they grow old.
//
// It protects what was accepted: a job that Submit has returned gets exactly one
// verdict, though the process is killed at any instant. It protects callers from
// each other: a job is visible to its owner alone, ids cannot be guessed, who
// floods the queue waits behind himself, and who fills the store loses his own
// results first. It protects the daemon from callers who submit and never fetch:
// jobs, bytes and age are bounded.
//
// It leaves out how jobs are kept, which is behind Queue (httpapi/jobs/sqlite is
// the driver), HTTP, and who a caller is.
package jobs
