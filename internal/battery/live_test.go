package battery

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/httpapi/client"
	"safe-exec/policy"
)

// answers are what a daemon says, one after the other; the last one for good.
type answers []error

func (a *answers) Execute(context.Context, policy.Request) (*policy.Result, error) {
	err := (*a)[0]
	if len(*a) > 1 {
		*a = (*a)[1:]
	}
	if err != nil {
		return nil, err
	}
	return &policy.Result{Status: policy.Succeeded}, nil
}

func TestABusyDaemonIsAskedAgainWithinABound(t *testing.T) {
	busy, setup := &policy.Error{Code: policy.CodeBusy}, &policy.Error{Code: policy.CodeSetup, Step: "pivot"}
	invalid := &policy.Error{Code: policy.CodeInvalid, Message: "m"}
	for _, row := range []struct {
		name  string
		says  answers
		bound time.Duration
		want  policy.Code // "" is a result
	}{
		{"one with a place", answers{nil}, time.Minute, ""},
		{"one that has a place later", answers{busy, busy, nil}, time.Minute, ""},
		{"one that never has a place", answers{busy}, 1500 * time.Millisecond, policy.CodeBusy},
		{"a jail that could not be set up once", answers{setup, nil}, time.Minute, ""},
		{"a jail that cannot be set up", answers{setup}, time.Minute, policy.CodeSetup},
		{"a refusal is one", answers{invalid, nil}, time.Minute, policy.CodeInvalid},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := &patient{serving(t, &row.says), row.bound}
			result, err := p.Execute(t.Context(), policy.Request{Language: "python", Code: "1"})
			if row.want == "" {
				require.NoError(t, err)
				assert.Equal(t, policy.Succeeded, result.Status)
				return
			}
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, row.want, e.Code)
		})
	}
}

// full has no place for an hour, and whoever asks it is stopped when he has heard so. Who
// is stopped before has another answer: that his run was cancelled.
type full struct{ stop context.CancelFunc }

func (f full) Execute(context.Context, policy.Request) (*policy.Result, error) {
	f.stop()
	return nil, &policy.Error{Code: policy.CodeBusy, Err: &client.RetryError{After: time.Hour}}
}

func (full) Close() {}

func TestWhoIsStoppedWaitsNoLonger(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := &patient{full{stop}, 2 * time.Hour}
	_, err := p.Execute(ctx, policy.Request{Language: "python", Code: "1"})
	require.ErrorIs(t, err, context.Canceled)
}

// serving is a client of a real server, in front of what answers.
func serving(t *testing.T, executor policy.Executor) *client.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	server, err := httpapi.New(httpapi.Config{Executor: executor, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	c := client.New(path)
	t.Cleanup(func() {
		c.Close()
		stop()
		assert.NoError(t, <-served)
	})
	return c
}
