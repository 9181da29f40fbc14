package ledger

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// What nothing was started for has nothing but zeros to say of limits, cost and output:
// a caller who sends much of that shall not push out what others ran.
func TestARecordSaysOnlyWhatThereWas(t *testing.T) {
	job := observe.Origin{Kind: observe.Job, JobID: "job_ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
	who := policy.Caller{Local: true, UID: 1000}
	limits := policy.Limits{TimeoutMS: 5000}
	for _, row := range []struct {
		name                  string
		run                   observe.Run
		limits, usage, output bool
		most                  int // bytes of the line
	}{
		{"a job that was cancelled before it ran", observe.Run{Origin: job, Caller: who, Result: &policy.Result{
			Status: policy.Cancelled, ExecutionID: job.JobID, Termination: policy.Termination{Reason: policy.ReasonCancelled}, Metrics: policy.Metrics{Attempt: 1}}},
			false, false, false, 512},
		{"a program that the policy rejected", observe.Run{Origin: job, Caller: who, Result: &policy.Result{
			Status: policy.Rejected, ExecutionID: "ex_1", LimitsApplied: limits, Metrics: policy.Metrics{TotalTimeMS: 1}}},
			true, true, false, 1024},
		{"a run", aRun(1), true, true, true, 2048},
		{"a run that was silent", observe.Run{Origin: job, Caller: who, Result: &policy.Result{
			Status: policy.Succeeded, LimitsApplied: limits, Metrics: policy.Metrics{StartMode: "cold"}}}, true, true, true, 2048},
		{"output of which nobody knows how it was started", observe.Run{Origin: job, Caller: who, Result: &policy.Result{
			Status: policy.Succeeded, LimitsApplied: limits, Stdout: "x", Metrics: policy.Metrics{StdoutBytes: 1}}}, true, false, true, 2048},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			l := open(t, dir, nil)
			require.NoError(t, l.Append(row.run))
			require.NoError(t, l.Close())
			assert.Less(t, len(text(t, dir, 1)), row.most)
			var last Record
			_, err := Verify(dir, nil, func(r Record) { last = r })
			require.NoError(t, err)
			assert.Equal(t, row.limits, last.Run.Limits != nil, "limits")
			assert.Equal(t, row.usage, last.Run.Usage != nil, "usage")
			for _, there := range []bool{last.Run.Stdout != nil, last.Run.Stderr != nil, last.Run.Files != nil} {
				assert.Equal(t, row.output, there, "output")
			}
		})
	}
}

// Whoever copies each file away before it is the oldest has one ledger of all of them.
func TestCopiesOfAllFilesAreALedger(t *testing.T) {
	dir, archive := t.TempDir(), t.TempDir()
	keepTwo := func(c *Config) { c.MaxBytes, c.Keep = 4<<10, 2 }
	l := open(t, dir, keepTwo)
	copyAll := func() {
		list, err := segments(dir)
		require.NoError(t, err)
		for _, name := range append(list, segment{name: headName}) {
			text, err := os.ReadFile(filepath.Join(dir, name.name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(archive, name.name), text, 0o600))
		}
	}
	const runs = 100
	for i := range runs {
		require.NoError(t, l.Append(aRun(i)))
		copyAll()
	}
	require.NoError(t, l.Close())
	copyAll()
	kept, err := Verify(dir, nil, nil)
	require.NoError(t, err)
	require.Greater(t, kept.First, uint64(1))
	all, err := Verify(archive, &Point{kept.Last.Seq, kept.Last.Hash}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 1, all.First)
	assert.EqualValues(t, runs, all.Runs)
	assert.Equal(t, kept.Last, all.Last)
}
