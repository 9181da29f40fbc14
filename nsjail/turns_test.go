package nsjail

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestFewJailsTakeThreadsAtATime(t *testing.T) {
	r := &Runner{turns: make(chan struct{}, atOnce), startTimeout: time.Minute}
	begun, over := make(chan struct{}, 2*atOnce), make(chan struct{})
	threads := []step{{name: "threads", few: true, do: func(*jail) error {
		begun <- struct{}{}
		<-over
		return nil
	}}}
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { assert.NoError(t, (&jail{runner: r}).perform(context.Background(), threads)) })
	}
	for range atOnce {
		<-begun
	}

	tired := errors.New("tired of waiting")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(tired)
	err := (&jail{runner: r}).perform(ctx, []step{{name: "threads", few: true, do: func(*jail) error {
		assert.Fail(t, "one more than there may be")
		return nil
	}}})
	require.ErrorIs(t, err, tired, "who waits for his turn does not wait for ever")
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "threads", e.Step)

	close(over)
	all.Wait()
	assert.NoError(t, (&jail{runner: r}).perform(t.Context(), threads), "all have had their turns")
}

func TestTheStepsThatTakeThreads(t *testing.T) {
	for name, steps := range map[string][]step{"a jail": spawnSteps, "a template": templateSteps} {
		few := map[string]bool{}
		for _, s := range steps {
			if s.few {
				few[s.name] = true
			}
		}
		assert.Equal(t, map[string]bool{"cgroup_leaf": true, "spawn": true, "init": true}, few, name)
	}
}
