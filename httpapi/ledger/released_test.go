package ledger

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

var update = flag.Bool("update", false, "write testdata/released anew")

// released is a ledger that the first released version wrote, and that a kill cut
// off. It stays as it is: daemons of later versions go on with such ledgers.
const released = "testdata/released"

// aWholeRun has all that a record may hold.
func aWholeRun(id string) observe.Run {
	r := aRun(0)
	r.RequestID, r.TraceID, r.JobID, r.Attempt = id, "4bf92f3577b34da6a3ce929d0e0e4736", "job_1", 2
	r.Profile, r.ProfileDigest, r.PolicyDigest = "python", "p", "q"
	one := 1
	result := *r.Result
	r.Result = &result
	result.ExitCode, result.Termination.Claimed, result.PolicyDeny = &one, true, []string{"json"}
	result.LimitsApplied = policy.Limits{
		TimeoutMS: 1, MaxMemoryMB: 2, MaxStdoutBytes: 3, MaxStderrBytes: 4, MaxOutputBytes: 5, MaxPids: 6,
		MaxDiskBytes: 7, MaxFiles: 8, MaxOpenFiles: 9, CPUPercent: 10, MaxDenials: 11,
	}
	result.Denials = []policy.Denial{{Syscall: "socket", Count: 3}}
	result.Layers = []policy.Layer{{Name: "cgroup_ns", State: "missing"}}
	result.Stderr, result.StderrTruncated = "error", true
	result.Files, result.FilesSkipped = []policy.File{{Path: "a", Size: 1}}, []policy.SkippedFile{{Path: "b", Reason: "r"}}
	result.Metrics = policy.Metrics{
		QueueTimeMS: 1, StartTimeMS: 2, ExecutionTimeMS: 3, TotalTimeMS: 4, CPUUserMS: 5, CPUSystemMS: 6, ThrottledMS: 7,
		PeakMemoryBytes: 8, StdoutBytes: 9, StderrBytes: 10, StartMode: policy.StartFork,
	}
	return r
}

// writeReleased makes a ledger with records of every kind, behind a line that one
// kill left unfinished, and with a run that another kill left open.
func writeReleased(t *testing.T) {
	dir := t.TempDir()
	few := func(c *Config) { c.MaxBytes, c.Keep = 8<<10, 3 }
	l := open(t, dir, few)
	for i := range 60 { // until files are dropped
		require.NoError(t, l.Append(aRun(i)))
	}
	crash(t, l, dir)
	tear := load(t, dir)
	last := tear.files()[len(tear)-2]
	require.NoError(t, os.WriteFile(filepath.Join(dir, last), append(tear[last], `{"seq":`...), 0o600))
	l = open(t, dir, few)
	whole := aWholeRun("req_whole")
	require.NoError(t, l.Began(&whole))
	require.NoError(t, l.Append(whole))
	left := aWholeRun("req_left")
	require.NoError(t, l.Began(&left))
	for i := range 9 { // until the next file begins
		require.NoError(t, l.Append(aRun(i)))
	}
	require.NoError(t, l.Append(observe.Run{Err: &policy.Error{Code: policy.CodeSetup, Step: "pivot"}}))
	crash(t, l, dir)

	require.NoError(t, os.RemoveAll(released))
	require.NoError(t, os.MkdirAll(released, 0o755))
	for name, text := range load(t, dir) {
		require.NoError(t, os.WriteFile(filepath.Join(released, name), text, 0o644))
	}
}

func TestALedgerOfAReleasedVersionGoesOn(t *testing.T) {
	if *update {
		writeReleased(t)
	}
	for _, row := range []struct {
		name string
		edit func(*Config)
	}{
		{"in its last file", nil},
		{"in new files", small},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range load(t, released) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
			}
			kinds, torn := map[string]bool{}, 0
			before, err := Verify(dir, nil, func(r Record) {
				kinds[r.Kind] = true
				if r.Opened != nil && r.Opened.Torn != nil {
					torn = r.Opened.Torn.Bytes
				}
			})
			require.NoError(t, err)
			assert.Equal(t, map[string]bool{kindBegin: true, kindRun: true, kindCarried: true, kindOpened: true, kindDropped: true}, kinds)
			assert.Equal(t, len(`{"seq":`), torn)
			assert.EqualValues(t, 1, before.Open)
			told, _ := stories(t, dir)
			assert.Equal(t, recordOf(aWholeRun("req_whole")).Usage, told["req_whole"].last.Usage)

			l := open(t, dir, row.edit)
			for i := range 20 {
				require.NoError(t, l.Append(aRun(100+i)))
			}
			require.NoError(t, l.Close())
			after, err := Verify(dir, &before.Last, nil)
			require.NoError(t, err, "the end of the old ledger is on the chain")
			assert.Zero(t, after.Open)
			assert.Equal(t, before.CutOff+1, after.CutOff)
			told, _ = stories(t, dir)
			assert.Equal(t, policy.ReasonRestarted, told["req_left"].last.Reason)
			assert.Equal(t, policy.Succeeded, told["req_119"].last.Status)
		})
	}
}
