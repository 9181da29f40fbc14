// Package jobs runs programs whose callers do not wait on the line: a bounded
// queue, a fixed number of workers, and the results until they are fetched or
// grow old. All of it is in memory.
//
// It protects callers from each other: a job is visible to the uid that
// submitted it and to no other, ids cannot be guessed, and whoever fills the
// store loses his own results first. It protects the daemon from callers who
// submit and never fetch: jobs, bytes and age are bounded.
//
// It leaves out durability (jobs do not outlive the process), HTTP, and who a
// caller is, which the caller of this package must know.
package jobs
