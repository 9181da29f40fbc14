package nsjail_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// onOneProcessor makes a Runner whose jails all have to share one.
func onOneProcessor(t *testing.T) *nsjail.Runner {
	t.Helper()
	var before, one unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &before))
	for cpu := 0; one.Count() == 0; cpu++ {
		if before.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	runtime.LockOSThread() // which the spawner is born of
	defer runtime.UnlockOSThread()
	require.NoError(t, unix.SchedSetaffinity(0, &one))
	defer func() { require.NoError(t, unix.SchedSetaffinity(0, &before)) }()
	all, err := profiles.Default()
	require.NoError(t, err)
	reachableLimits(all)
	r, err := newRunner(all, nil, nil)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

// used is the processor time of runs that spin until their time limit, in the
// order of the askers, in milliseconds.
func used(t *testing.T, r *nsjail.Runner, askers []policy.Request) []float64 {
	t.Helper()
	limit := int64(4000)
	if inVM {
		limit = 30000 // many times what a start takes there, since the starts come one after the other
	}
	spent := make([]float64, len(askers))
	var all sync.WaitGroup
	for i, req := range askers {
		started := make(chan struct{})
		req.Language, req.Code, req.Limits.TimeoutMS = "python", "while True: pass", &limit
		req.Watch = func(e policy.Event) {
			if e.Kind == policy.EventStarted {
				close(started)
			}
		}
		all.Go(func() {
			result, err := r.Execute(t.Context(), req)
			if assert.NoError(t, err) && assert.Equal(t, policy.TimedOut, result.Status, "%+v", result.Termination) {
				spent[i] = result.Metrics.CPUUserMS + result.Metrics.CPUSystemMS
			}
		})
		<-started
	}
	all.Wait()
	return spent
}

func TestCallersShareTheProcessorsEvenly(t *testing.T) {
	r := onOneProcessor(t)
	const many = 6
	heavy := policy.Caller{Local: true, UID: 1000, GID: 1000}
	light := policy.Caller{Local: true, UID: 1001, GID: 1001}
	for _, row := range []struct {
		name string
		last policy.Request
		want float64 // time of the last run, as a part of that of all others
	}{
		{"one run of a caller gets as much as six of another", policy.Request{Caller: light}, 1},
		{"and twice as much where he weighs twice as much", policy.Request{Caller: light, Weight: 2}, 2},
		{"the control: a seventh run of the same caller is one of seven", policy.Request{Caller: heavy}, 1.0 / many},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked := make([]policy.Request, many, many+1)
			for i := range asked {
				asked[i] = policy.Request{Caller: heavy}
			}
			spent := used(t, r, append(asked, row.last))
			others := 0.0
			for _, ms := range spent[:many] {
				others += ms
			}
			t.Logf("%.0f", spent)
			got := spent[many] / others
			assert.Greater(t, got, row.want/1.7)
			assert.Less(t, got, row.want*1.7)
		})
	}
}
