package escape

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// checking is an executor that checks programs too.
type checking struct{ executor }

func (checking) CheckProgram(context.Context, policy.Request) (*policy.CheckResult, error) {
	return &policy.CheckResult{WouldRun: true}, nil
}

func TestGuardLetsChecksThroughOnlyWhileEveryProbeIsHeld(t *testing.T) {
	held := answering("\nPROBE {\"won\": false, \"proof\": \"EPERM\"}\n")
	for _, row := range []struct {
		name     string
		executor policy.Executor
		want     policy.Code // none: it is let through
	}{
		{"every probe is refused", checking{held}, ""},
		{"every probe gets out", checking{answering("\nPROBE {\"won\": true, \"proof\": \"canary\"}\n")}, policy.CodeSetup},
		{"what is guarded checks no programs", held, policy.CodeInternal},
	} {
		t.Run(row.name, func(t *testing.T) {
			g, err := NewGuard(guarding(t, row.executor))
			require.NoError(t, err)
			_, err = g.CheckProgram(t.Context(), policy.Request{})
			require.Error(t, err, "nothing is parsed before the first check")
			g.Check(t.Context())
			got, err := g.CheckProgram(t.Context(), policy.Request{})
			if row.want == "" {
				require.NoError(t, err)
				assert.True(t, got.WouldRun)
				return
			}
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, row.want, e.Code)
		})
	}
}
