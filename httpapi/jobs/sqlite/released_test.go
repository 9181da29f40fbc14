package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/queuetest"
	"safe-exec/policy"
)

var update = flag.Bool("update", false, "write the store of the newest version in testdata anew")

// owner is the one whose jobs are in the stores of testdata: one job of each status,
// which has the status for its key and for its program's text.
const owner = "uid 1000"

var ended = []policy.Status{policy.Succeeded, policy.Failed, policy.TimedOut, policy.Rejected, policy.Errored}

// outcome is an executor that gives what the program's text asks for, and keeps the
// requests of those that the store had left to run.
type outcome struct{ left map[string]policy.Request }

func (o outcome) Execute(_ context.Context, req policy.Request) (*policy.Result, error) {
	switch status := policy.Status(req.Code); status {
	case policy.Queued, policy.Running:
		req.Watch = nil
		o.left[req.Code] = req
		return resultOf(policy.Succeeded), nil
	case policy.Errored:
		return nil, refusal()
	default:
		return resultOf(status), nil
	}
}

// requestOf has every field that is kept.
func requestOf(status policy.Status) policy.Request {
	n := int64(7)
	limits := policy.LimitsRequest{TimeoutMS: &n, MaxMemoryMB: &n, MaxStdoutBytes: &n, MaxStderrBytes: &n}
	return policy.Request{
		Language: "python", Code: string(status), Level: "strict", Deny: []string{"json"}, Ceiling: "standard", Profile: "python",
		Limits: limits, CeilingLimits: limits, StartMode: policy.StartCold,
		Caller: policy.Caller{Local: true, UID: 1000, GID: 1000, Token: "ci"}, Weight: 2, Privileged: true,
		Input: policy.Input{
			Stdin: "in", Args: []string{"a"}, Env: map[string]string{"A": "b"},
			Files: []policy.InputFile{{Path: "f", Content: []byte{0, 255}}},
		},
		Collect: []string{"*.txt"},
	}
}

// resultOf has every field.
func resultOf(status policy.Status) *policy.Result {
	n, code := int64(7), 1
	return &policy.Result{
		Status: status, ExecutionID: "ex_1", Stdout: "out", Stderr: "err", ResultJSON: []byte(`{"a":[1,null]}`), ExitCode: &code,
		Termination: policy.Termination{
			Reason: policy.ReasonSyntaxError, Signal: "SIGSEGV", Limit: &n, Observed: &n, Line: 1, Column: 2, Message: "m",
			Evidence: []policy.Evidence{{Source: "wait", Name: "n", Value: "v"}}, Hint: "h", Claimed: true,
		},
		Denials: []policy.Denial{{Syscall: "socket", Count: 1}}, Violations: []policy.Violation{{Rule: "r", Name: "n", Line: 1, Column: 2, Message: "m"}},
		Files:        []policy.File{{Path: "a", Size: 1, SHA256: "s", Text: "t"}, {Path: "b", Size: 1, SHA256: "s", Content: []byte{255}}},
		FilesSkipped: []policy.SkippedFile{{Path: "c", Reason: "r"}}, StdoutTruncated: true, StderrTruncated: true,
		LimitsApplied: policy.Limits{
			TimeoutMS: 1, MaxMemoryMB: 2, MaxStdoutBytes: 3, MaxStderrBytes: 4, MaxOutputBytes: 5, MaxPids: 6,
			MaxDiskBytes: 7, MaxFiles: 8, MaxOpenFiles: 9, CPUPercent: 10, MaxDenials: 11,
		},
		Policy: "strict", PolicyDeny: []string{"json"}, Layers: []policy.Layer{{Name: "user_ns", State: "enforced", Detail: "d"}},
		Metrics: policy.Metrics{
			ExecutionTimeMS: 1, StdoutBytes: 3, StderrBytes: 3, QueueTimeMS: 2, StartTimeMS: 3, TotalTimeMS: 4, CPUUserMS: 5, CPUSystemMS: 6,
			PeakMemoryBytes: 7, ThrottledMS: 8, StartMode: policy.StartFork, Attempt: 1,
		},
	}
}

func refusal() *policy.Error {
	n := int64(7)
	return &policy.Error{Code: policy.CodeTooLarge, Message: "m", Field: "f", Value: json.RawMessage(`"v"`), Maximum: &n, Minimum: &n, Step: "s", Reason: "r"}
}

func storeOn(t *testing.T, q *Queue, cfg jobs.Config) *jobs.Store {
	t.Helper()
	cfg.Queue, cfg.Workers, cfg.MaxQueued, cfg.MaxQueuedPerOwner = q, 1, 10, 10
	cfg.MaxFinished, cfg.MaxFinishedBytes, cfg.MaxAge = 100, 1<<20, time.Hour
	s, err := jobs.New(cfg)
	require.NoError(t, err)
	return s
}

func submit(t *testing.T, s *jobs.Store, status policy.Status) (id string) {
	t.Helper()
	place, err := s.Reserve(owner)
	require.NoError(t, err)
	job, _, err := place.Submit(t.Context(), jobs.Submission{
		Request: requestOf(status), Key: string(status), Digest: sha256.Sum256([]byte(status)), TTL: time.Hour,
	})
	require.NoError(t, err)
	return job.ID
}

// writeReleased makes the store of the newest version. Those of the versions before
// stay as the programs of their time made them.
func writeReleased(t *testing.T) {
	dir, clock := t.TempDir(), queuetest.NewClock()
	q, err := Open(dir, clock)
	require.NoError(t, err)
	s := storeOn(t, q, jobs.Config{Executor: outcome{}})
	for _, status := range ended {
		_, err := s.Wait(t.Context(), owner, submit(t, s, status))
		require.NoError(t, err)
	}
	require.NoError(t, s.Close(t.Context()))
	s = storeOn(t, q, jobs.Config{Executor: outcome{}, MayRun: func() error { return refusal() }})
	submit(t, s, policy.Running)
	submit(t, s, policy.Queued)
	_, err = s.Cancel(t.Context(), owner, submit(t, s, policy.Cancelled))
	require.NoError(t, err)
	require.NoError(t, s.Close(t.Context()))
	running, err := q.Claim(t.Context(), time.Hour)
	require.NoError(t, err)
	require.NotNil(t, running)
	require.NoError(t, q.Close())
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	text, err := os.ReadFile(filepath.Join(dir, "jobs.db"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(releasedFile(released.newest()), text, 0o644))
}

func releasedFile(version int64) string { return fmt.Sprintf("testdata/version-%d.db", version) }

// copyOf gives a directory with a store of that version.
func copyOf(t *testing.T, version int64) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text, err := os.ReadFile(releasedFile(version))
	require.NoError(t, err, "every version that was released has its store here")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "jobs.db"), text, 0o600))
	return dir
}

func jobOf(t *testing.T, q *Queue, status policy.Status) jobs.Record {
	t.Helper()
	r, err := q.Find(t.Context(), owner, string(status), sha256.Sum256([]byte(status)))
	require.NoError(t, err)
	require.NotNil(t, r, status)
	return *r
}

func TestStoresOfAllReleasedVersionsAreTakenUp(t *testing.T) {
	if *update {
		writeReleased(t)
	}
	for version := released.first; version <= released.newest(); version++ {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			dir := copyOf(t, version)
			require.NoError(t, Look(dir))
			q, err := Open(dir, queuetest.NewClock())
			require.NoError(t, err)
			defer func() { assert.NoError(t, q.Close()) }()
			for _, status := range append([]policy.Status{policy.Queued, policy.Running, policy.Cancelled}, ended...) {
				assert.Equal(t, status, jobOf(t, q, status).Status)
			}
			left := map[string]policy.Request{}
			s := storeOn(t, q, jobs.Config{Executor: outcome{left}})
			defer func() { assert.NoError(t, s.Close(context.WithoutCancel(t.Context()))) }()
			for _, row := range []struct {
				job     policy.Status
				status  policy.Status
				attempt int
			}{
				{policy.Succeeded, policy.Succeeded, 1}, {policy.Failed, policy.Failed, 1}, {policy.TimedOut, policy.TimedOut, 1},
				{policy.Rejected, policy.Rejected, 1}, {policy.Running, policy.Succeeded, 2}, {policy.Queued, policy.Succeeded, 1},
			} {
				want := resultOf(row.status)
				want.Metrics.Attempt = int64(row.attempt)
				job := await(t, s, jobOf(t, q, row.job).ID)
				assert.NoError(t, job.Err, row.job)
				assert.Equal(t, want, job.Result, row.job)
				assert.Equal(t, row.attempt, job.Attempt, row.job)
			}
			assert.Equal(t, map[string]policy.Request{"queued": requestOf(policy.Queued), "running": requestOf(policy.Running)}, left)
			assert.Equal(t, refusal(), await(t, s, jobOf(t, q, policy.Errored).ID).Err)
			cancelled := await(t, s, jobOf(t, q, policy.Cancelled).ID)
			assert.Equal(t, policy.ReasonCancelled, cancelled.Result.Termination.Reason)
		})
	}
}

// await gives a job once it has ended.
func await(t *testing.T, s *jobs.Store, id string) jobs.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := s.Wait(ctx, owner, id)
	require.NoError(t, err)
	require.NoError(t, ctx.Err(), "job %s did not end", id)
	job, err := s.Get(t.Context(), owner, id)
	require.NoError(t, err)
	return job
}
