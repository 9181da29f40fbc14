package nsjail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// A caller who has the most already must not be told to ask for more.
func TestAHintNamesAHigherLimitOnlyWhereThereIsOne(t *testing.T) {
	for _, row := range []struct {
		name   string
		reason policy.Reason
		heap   int64
		most   int64
		says   string
	}{
		{"time that can be more", policy.ReasonWallTimeout, 0, 257, "or ask for a higher limits.timeout_ms."},
		{"time that cannot", policy.ReasonWallTimeout, 0, 256, "make it do less; limits.timeout_ms is already the highest allowed."},
		{"memory that can be more", policy.ReasonMemoryLimit, 0, 257, "or ask for a higher limits.max_memory_mb."},
		{"memory that cannot", policy.ReasonMemoryLimit, 0, 256, "in pieces; limits.max_memory_mb is already the highest allowed."},
		{"a heap that can be more", policy.ReasonMemoryLimit, 1 << 20, 257, "or ask for a higher limits.max_memory_mb."},
		{"a heap that cannot", policy.ReasonMemoryLimit, 1 << 20, 256, "in pieces; limits.max_memory_mb is already the highest allowed."},
	} {
		t.Run(row.name, func(t *testing.T) {
			var e evidence
			e.heapLimit = row.heap
			if row.heap == 0 {
				e.usage.OOMKills = 1
			}
			e.spec.Limits = policy.Limits{TimeoutMS: 256, MaxMemoryMB: 256}
			e.spec.Ranges = policy.LimitRanges{TimeoutMS: policy.LimitRange{Max: row.most}, MaxMemoryMB: policy.LimitRange{Max: row.most}}
			assert.Contains(t, hint(e, policy.Termination{Reason: row.reason}), row.says)
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
