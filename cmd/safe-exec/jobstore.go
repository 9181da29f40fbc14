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

// jobsConfig is the store of jobs as an operator writes it.
type jobsConfig struct {
	// Runs is how many run at once; nil is as many as of those that somebody waits for.
	Runs *int `yaml:"runs"`
	// Queued is how many may wait, of all callers together.
	Queued int `yaml:"queued"`
	// Finished jobs are kept for Keep at most, and no more of them than this, with
	// verdicts of FinishedMB in all.
	Finished   int           `yaml:"finished"`
	FinishedMB int64         `yaml:"finished_mb"`
	Keep       time.Duration `yaml:"keep"`
	// Attempts is how often one is started at most: a daemon that ended in the midst of
	// a run had begun one.
	Attempts int `yaml:"attempts"`
}

func defaultJobs() jobsConfig {
	return jobsConfig{Queued: 1024, Finished: 4096, FinishedMB: 256, Keep: time.Hour, Attempts: 3}
}

// Bounds of what is kept: beyond them it is a slip of the pen.
const (
	maxFinishedMB = 1 << 16
	maxKeep       = 30 * 24 * time.Hour
	maxAttempts   = 100
)

// check does not look at Runs, whose bound depends on other keys.
func (j jobsConfig) check() error {
	for _, f := range []struct {
		key     string
		v, most int64
	}{
		{"queued", int64(j.Queued), maxJobs}, {"finished", int64(j.Finished), maxJobs},
		{"finished_mb", j.FinishedMB, maxFinishedMB}, {"attempts", int64(j.Attempts), maxAttempts},
	} {
		if f.v < 1 || f.v > f.most {
			return keyError("jobs."+f.key, "is %d, it must be between 1 and %d", f.v, f.most)
		}
	}
	if j.Keep < time.Second || j.Keep > maxKeep {
		return keyError("jobs.keep", "is %s, it must be between 1s and %s", j.Keep, maxKeep)
	}
	return nil
}

// runs is how many jobs run at once beside so many other runs.
func (j jobsConfig) runs(beside int) int {
	if j.Runs == nil {
		return beside
	}
	return *j.Runs
}

// openJobs takes up the jobs that are kept in the broker's directory. The store is
// ended by the server, and then kept, its file, is to be closed.
func (s brokerSettings) openJobs(dir string, executor policy.Executor, told observe.Observer, mayRun func() error, log *slog.Logger) (store *jobs.Store, kept *sqlite.Queue, err error) {
	kept, err = sqlite.Open(dir, jobs.SystemClock{})
	if err != nil {
		return nil, nil, err
	}
	store, err = jobs.New(jobs.Config{
		Executor: executor, MayRun: mayRun, Queue: kept, Logger: log, Ended: func(j jobs.Job) { told.Ran(unrun(j)) },
		Problem: func(err error) any { return httpapi.ProblemOf(err) },
		Workers: s.Jobs.runs(s.Runs), MaxQueued: s.Jobs.Queued, MaxQueuedPerOwner: s.Jobs.Queued, Apart: policy.Caller{Local: true}.String(),
		MaxFinished: s.Jobs.Finished, MaxFinishedBytes: s.Jobs.FinishedMB << 20, MaxAge: s.Jobs.Keep, MaxAttempts: s.Jobs.Attempts,
	})
	if err != nil {
		return nil, nil, errors.Join(err, kept.Close())
	}
	return store, kept, nil
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
