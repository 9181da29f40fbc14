package nsjail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

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
