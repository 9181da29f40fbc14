package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"safe-exec/httpapi"
	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/sqlite"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// Bounds on what is kept of jobs.
const (
	maxJobsQueued   = 1024
	maxJobsFinished = 4096
	maxJobsBytes    = 256 << 20
	maxJobsAge      = time.Hour
)

// openJobs takes up the jobs that are kept in the broker's directory. The store is
// ended by the server; then end closes its file.
func (s brokerSettings) openJobs(dir string, executor policy.Executor, told observe.Observer, log *slog.Logger) (store *jobs.Store, end func() error, err error) {
	queue, err := sqlite.Open(dir, jobs.SystemClock{})
	if err != nil {
		return nil, nil, err
	}
	store, err = jobs.New(jobs.Config{
		Executor: executor, Queue: queue, Logger: log, Ended: func(j jobs.Job) { told.Ran(unrun(j)) },
		Problem: func(err error) any { return httpapi.ProblemOf(err) },
		Workers: s.Runs, MaxQueued: maxJobsQueued, MaxQueuedPerOwner: maxJobsQueued, Apart: policy.Caller{Local: true}.String(),
		MaxFinished: maxJobsFinished, MaxFinishedBytes: maxJobsBytes, MaxAge: maxJobsAge,
	})
	if err != nil {
		return nil, nil, errors.Join(err, queue.Close())
	}
	return store, queue.Close, nil
}

// unrun is what the ledger and the metrics hear of a job that ended without a run.
func unrun(j jobs.Job) observe.Run {
	who, _ := policy.ParseCaller(j.Owner)
	return observe.Run{
		Origin: observe.Origin{Kind: observe.Job, JobID: j.ID, Attempt: int64(j.Attempt)}, Caller: who,
		Finished: j.Finished, Total: j.Finished.Sub(j.Created), Result: j.Result, Err: j.Err,
	}
}

// jobQueue is how the store stands, for the metrics, which are there before it.
type jobQueue struct{ store *jobs.Store }

func (q *jobQueue) depth() observe.Queue {
	if q.store == nil {
		return observe.Queue{}
	}
	waiting, running, err := q.store.Depth(context.Background())
	if err != nil {
		return observe.Queue{} // the log has it
	}
	return observe.Queue{Running: running, Waiting: waiting}
}
