package main

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/observe"
	"safe-exec/nsjail/escape"
	"safe-exec/policy"
)

type executes func(policy.Request) (*policy.Result, error)

func (e executes) Execute(_ context.Context, r policy.Request) (*policy.Result, error) { return e(r) }

type unheard struct{ observe.Observer }

func (unheard) Ran(observe.Run) {}

func TestJobsWaitWhileTheSandboxIsNotShownToHold(t *testing.T) {
	t.Parallel()
	refused := &policy.Error{Code: policy.CodeSetup, Step: escape.Step, Message: "nothing runs", Err: errors.New("hole")}
	for _, row := range []struct {
		name     string
		held     bool // what the posture says at first
		failure  error
		attempts int
	}{
		{"one that nothing keeps from running runs", true, nil, 1},
		{"one is not begun while the posture says so", false, nil, 1},
		{"one that the guard refuses is begun again", true, refused, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var held atomic.Bool
			held.Store(row.held)
			asked, begun := make(chan struct{}), 0
			ready := &readiness{
				recording: func() error { return nil },
				describe: func() (httpapi.Description, error) {
					select {
					case asked <- struct{}{}: // the test waits for it
					default:
					}
					return httpapi.Description{Posture: httpapi.Posture{Check: httpapi.PostureCheck{Held: held.Load()}}}, nil
				},
			}
			ready.holding = lately(time.Millisecond, ready.held)
			one := 1
			settings := brokerSettings{Runs: 1, Jobs: defaultJobs()}
			settings.Jobs.Runs = &one
			run := executes(func(policy.Request) (*policy.Result, error) {
				if begun++; begun == 1 && row.failure != nil {
					return nil, row.failure
				}
				return &policy.Result{Status: policy.Succeeded, Termination: policy.Termination{Reason: policy.ReasonCompleted}, ResultJSON: policy.NoResult}, nil
			})
			store, kept, err := settings.openJobs(t.TempDir(), run, unheard{}, ready.mayRun, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			t.Cleanup(func() { _ = kept.Close() })
			t.Cleanup(func() { _ = store.Close(context.Background()) })
			const owner = "uid:7"
			place, err := store.Reserve(owner)
			require.NoError(t, err)
			job, _, err := place.Submit(t.Context(), jobs.Submission{Request: policy.Request{Language: "python", Code: "1"}})
			require.NoError(t, err)
			if !row.held {
				<-asked
				<-asked // the one before is answered, and its worker has not taken the job
				now, err := store.Get(t.Context(), owner, job.ID)
				require.NoError(t, err)
				assert.Equal(t, policy.Queued, now.Status)
				held.Store(true)
			}
			job, err = store.Wait(t.Context(), owner, job.ID)
			require.NoError(t, err)
			assert.Equal(t, policy.Succeeded, job.Status)
			assert.Equal(t, row.attempts, job.Attempt)
			assert.Equal(t, row.attempts, begun)
		})
	}
}
