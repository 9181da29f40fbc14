package nsjail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/policy"
)

// What shows a verdict tells a caller to ask for more only where they may have more.
func TestAVerdictSaysHowARequestSetsTheLimitThatWasHit(t *testing.T) {
	heap := killedBy(unix.SIGABRT)
	heap.heapLimit, heap.usage.PeakMemoryBytes = 1<<20, 1<<20
	oom := evidence{usage: cgroup.Usage{OOMKills: 1, MemoryMaxEvents: 1}}
	for _, row := range []struct {
		name      string
		e         evidence
		checkOnly bool
		field     string
		most      int64
	}{
		{"time", evidence{deadline: true}, false, "limits.timeout_ms", 257},
		{"memory", oom, false, "limits.max_memory_mb", 258},
		{"memory that the heap has", heap, false, "limits.max_memory_mb", 258},
		{"output, which no request sets", evidence{outputFlood: true}, false, "", 0},
		{"time of a check, for which there is enough at the default", evidence{deadline: true}, true, "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.e.spec.CheckOnly = row.checkOnly
			row.e.spec.Limits = policy.Limits{TimeoutMS: 256, MaxMemoryMB: 256}
			row.e.spec.Ranges = policy.LimitRanges{TimeoutMS: policy.LimitRange{Max: 257}, MaxMemoryMB: policy.LimitRange{Max: 258}}
			v, err := judge(row.e)
			require.NoError(t, err)
			require.NotNil(t, v.termination.Limit)
			assert.Equal(t, row.field, v.termination.LimitField)
			assert.Equal(t, row.most, v.termination.LimitMaximum)
			assert.NotContains(t, v.termination.Hint, "limits.", "whose names these are depends on who reads it")
		})
	}
}

func TestHintOfAnUnsettledAwait(t *testing.T) {
	for _, row := range []struct {
		language policy.Language
		status   int
		says     string
	}{
		{policy.JavaScript, 13, "An await at the top level never settled and nothing was left to wait for"},
		{policy.JavaScript, 14, "The program itself chose exit status 14."},
		{policy.Python, 13, "The program itself chose exit status 13."},
	} {
		e := exitedWith(row.status)
		e.spec.Language = row.language
		v, err := judge(e)
		require.NoError(t, err)
		assert.Equal(t, policy.ReasonExitNonzero, v.termination.Reason)
		assert.Equal(t, row.status, *v.exitCode)
		assert.Contains(t, v.termination.Hint, row.says)
	}
}
