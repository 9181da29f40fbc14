package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"safe-exec/httpapi"
	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/sqlite"
	"safe-exec/policy"
)

// openJobs takes up the jobs that are kept in the state directory. The store is
// ended by the server; then its file is closed.
func openJobs(conf config, executor policy.Executor, log *slog.Logger) (store *jobs.Store, end func(), err error) {
	dir := filepath.Join(conf.StateDir, "broker")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	queue, err := sqlite.Open(dir, jobs.SystemClock{})
	if err != nil {
		return nil, nil, err
	}
	store, err = jobs.New(jobs.Config{
		Executor: executor, Queue: queue, Logger: log,
		Problem: func(err error) any { return httpapi.ProblemOf(err) },
		Workers: conf.Runs, MaxQueued: 64, MaxQueuedPerOwner: 64,
		MaxFinished: 256, MaxFinishedBytes: 64 << 20, MaxAge: 15 * time.Minute,
	})
	if err != nil {
		return nil, nil, errors.Join(err, queue.Close())
	}
	return store, func() {
		if err := queue.Close(); err != nil {
			log.Error("the store of jobs did not close", "error", err)
		}
	}, nil
}
