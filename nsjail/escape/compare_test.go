package escape

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// daemonLike answers as one does whose runs take longer and longer, or fail.
type daemonLike func() (*policy.Result, error)

func (d daemonLike) Execute(context.Context, policy.Request) (*policy.Result, error) { return d() }

func hello() (*policy.Result, error) {
	return &policy.Result{Status: policy.Succeeded, Stdout: "hello\n"}, nil
}

func TestSlowerIsMoreThanNoise(t *testing.T) {
	for _, row := range []struct {
		name          string
		before, after float64
		slow          bool
	}{
		{"as before", 20, 20, false},
		{"faster", 20, 5, false},
		{"a busy moment", 20, 85, false},
		{"far slower", 20, 95, true},
		{"twice as slow on a slow machine", 2000, 4000, false},
		{"three times as slow on a slow machine", 2000, 6000, true},
	} {
		assert.Equal(t, row.slow, slower(row.before, row.after) != "", row.name)
	}
}

func TestTheHostIsComparedWithBefore(t *testing.T) {
	hosts := func(list ...Host) func() (Host, error) {
		return func() (Host, error) {
			h := list[0]
			if len(list) > 1 {
				list = list[1:]
			}
			return h, nil
		}
	}
	quiet := Host{FDs: 30, Mounts: 21}
	for _, row := range []struct {
		name   string
		watch  func() (Host, error)
		settle time.Duration
		left   string
	}{
		{"all as before", hosts(quiet), time.Hour, ""},
		{"what ends a moment later is waited for", hosts(quiet, quiet, quiet, Host{FDs: 31, Mounts: 21}, quiet), time.Hour, ""},
		{"what was still open at first is not counted as before", hosts(Host{FDs: 31, Mounts: 21}, quiet, quiet, quiet, Host{FDs: 31, Mounts: 21}), time.Millisecond,
			"descriptors 31 instead of 30"},
		{"what stays is left", hosts(quiet, quiet, quiet, Host{FDs: 30, Mounts: 22}), time.Millisecond, "mounts 22 instead of 21"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := &Battery{Executor: daemonLike(hello), Watch: row.watch, Settle: row.settle}
			c, err := b.Before(t.Context())
			require.NoError(t, err)
			assert.Equal(t, quiet, c.Before)
			c, err = b.After(t.Context(), c)
			require.NoError(t, err)
			assert.Equal(t, row.left, c.Left)
		})
	}
}

func TestADaemonThatNoLongerWorksIsAnError(t *testing.T) {
	b := &Battery{Executor: daemonLike(hello), Watch: func() (Host, error) { return Host{}, nil }}
	c, err := b.Before(t.Context())
	require.NoError(t, err)
	for name, d := range map[string]daemonLike{
		"an innocent run: gone": func() (*policy.Result, error) { return nil, errors.New("gone") },
		"an innocent run: failed: memory_limit": func() (*policy.Result, error) {
			return &policy.Result{Status: policy.Failed, Termination: policy.Termination{Reason: policy.ReasonMemoryLimit}}, nil
		},
		"an innocent run: succeeded: completed": func() (*policy.Result, error) {
			return &policy.Result{Status: policy.Succeeded, Termination: policy.Termination{Reason: policy.ReasonCompleted}}, nil
		},
	} {
		b.Executor = d
		_, err = b.After(t.Context(), c)
		assert.EqualError(t, err, name)
	}
}
