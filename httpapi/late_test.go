package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhoIsTooLateIsToldByHowMuch(t *testing.T) {
	g := newGate(1, 8, time.Millisecond, make(chan struct{}))
	g.hold = 4 * time.Second // runs took that long lately
	a := Allowance{Runs: 1, Waiting: 8, Weight: 1}
	leave, err := g.enter(context.Background(), "a", a)
	require.NoError(t, err)
	_, err = g.enter(context.Background(), "b", a)
	p := ProblemOf(err)
	assert.Equal(t, string(BusyWaitLimit), p.Reason)
	assert.EqualValues(t, 4, p.RetryAfter)
	leave()
	leave() // a second time does nothing
	running, waiting := g.depth()
	assert.Zero(t, running+waiting)
}

func TestWhoIsTooLateIsToldWhatKeptIt(t *testing.T) {
	for _, row := range []struct {
		name        string
		slots, runs int
		running     []string // who has a slot when the caller a comes
		reason      BusyReason
	}{
		{"its own bound, while slots are free", 4, 2, []string{"a", "a"}, BusyCallerRuns},
		{"its own bound, which holds whatever others leave", 4, 2, []string{"a", "a", "b", "b"}, BusyCallerRuns},
		{"the slots, below its bound", 4, 3, []string{"a", "a", "b", "b"}, BusyWaitLimit},
		{"the slots, all of which it may have", 2, 2, []string{"a", "a"}, BusyWaitLimit},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := newGate(row.slots, 8, time.Millisecond, make(chan struct{}))
			a := Allowance{Runs: row.runs, Waiting: 8, Weight: 1}
			for _, caller := range row.running {
				leave, err := g.enter(context.Background(), caller, a)
				require.NoError(t, err)
				defer leave()
			}
			_, err := g.enter(context.Background(), "a", a)
			p := ProblemOf(err)
			assert.Equal(t, string(row.reason), p.Reason)
			assert.Equal(t, 429, p.Status)
			assert.GreaterOrEqual(t, p.RetryAfter, int64(1))
		})
	}
}
