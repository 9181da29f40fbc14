package escape

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// executor answers every run alike: the seam, not the jail, is tested here.
type executor func(policy.Request) (*policy.Result, error)

func (e executor) Execute(_ context.Context, r policy.Request) (*policy.Result, error) { return e(r) }

// guarding is a guard's configuration, with a place that nobody else plants in.
func guarding(t *testing.T, e policy.Executor) GuardConfig {
	return GuardConfig{Executor: e, Level: "relaxed", Dir: filepath.Join(ownTemp(t), "escape"), Interval: time.Minute}
}

func answering(stdout string) executor {
	return func(policy.Request) (*policy.Result, error) {
		return &policy.Result{Status: policy.Succeeded, Stdout: stdout, Termination: policy.Termination{Reason: policy.ReasonCompleted}}, nil
	}
}

func TestGuardLetsRunsThroughOnlyWhileEveryProbeIsHeld(t *testing.T) {
	for _, row := range []struct {
		name     string
		executor executor
		held     bool
	}{
		{"every probe is refused", answering("\nPROBE {\"won\": false, \"proof\": \"EPERM\"}\n"), true},
		{"every probe gets out", answering("\nPROBE {\"won\": true, \"proof\": \"canary\"}\n"), false},
		{"probes say nothing", answering(""), false},
		{"no jail can be made", func(policy.Request) (*policy.Result, error) { return nil, errors.New("no") }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			g, err := NewGuard(guarding(t, row.executor))
			require.NoError(t, err)
			_, err = g.Execute(t.Context(), policy.Request{})
			require.Error(t, err, "nothing runs before the first check")

			s := g.Check(t.Context())
			assert.Equal(t, row.held, s.Held, s.Detail)
			assert.Positive(t, s.Probes)
			_, err = g.Execute(t.Context(), policy.Request{})
			if row.held {
				assert.NoError(t, err)
				return
			}
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, policy.CodeSetup, e.Code)
			assert.NotEmpty(t, s.Detail)
		})
	}
}
