package nsjail_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestTheDaemonAnswersOthersDuringAFlood(t *testing.T) {
	inModes(t, "", answersOthersDuringAFlood)
}

func answersOthersDuringAFlood(t *testing.T, mode string) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	started, ended := make(chan struct{}), make(chan struct{})
	var flood *policy.Result
	go func() {
		defer close(ended)
		var err error
		flood, err = shared.Execute(ctx, inMode(mode, unhurried(policy.Request{
			Language: "py", Level: relaxed, Watch: func(e policy.Event) {
				if e.Kind == policy.EventStarted {
					close(started)
				}
			},
			Code: "import threading\ndef spin():\n  while True: pass\nwhile True:\n  try: threading.Thread(target=spin, daemon=True).start()\n  except RuntimeError: pass",
		})))
		assert.NoError(t, err)
	}()
	select {
	case <-started:
	case <-ended:
		require.FailNow(t, "the flood did not start", "%+v", flood)
	}
	for range 3 {
		result := execute(t, mode, policy.Request{Language: "py", Code: "print(1)"})
		require.Equal(t, policy.Succeeded, result.Status)
	}
	stop()
	<-ended
	require.NotNil(t, flood)
	assert.Equal(t, policy.Cancelled, flood.Status, "it was under way all the time: %+v %s", flood.Termination, flood.Stderr)
}

func TestACancelledRunSaysSo(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		result, err := shared.Execute(ctx, inMode(mode, unhurried(policy.Request{
			Language: "py", Code: "while True: pass", Watch: func(e policy.Event) {
				if e.Kind == policy.EventStarted {
					cancel()
				}
			},
		})))
		require.NoError(t, err)
		assert.Equal(t, policy.Cancelled, result.Status)
		assert.Positive(t, result.Metrics.ExecutionTimeMS, "it was under way")
	})
}
