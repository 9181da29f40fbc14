package nsjail_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// onOneProcessor makes a Runner whose jails all have to share one; where the kernel
// forgets that (a machine of two, on cgroup v2), what is wanted below is the same.
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

// used is the processor time that runs which spin get of the same while, in which
// all of them are there and none is being started or ended. In the order of the
// askers, in seconds.
func used(t *testing.T, r *nsjail.Runner, askers []policy.Request) []float64 {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	var pids []int
	for _, req := range askers {
		started := make(chan struct{})
		req.Language, req.Code = "python", "while True: pass"
		req.Watch = func(e policy.Event) {
			if e.Kind == policy.EventStarted {
				close(started)
			}
		}
		all.Go(func() {
			result, err := r.Execute(ctx, unhurried(req))
			if assert.NoError(t, err) {
				assert.Equal(t, policy.Cancelled, result.Status, "%+v", result.Termination)
			}
		})
		select {
		case <-started:
		case <-time.After(startTimeout):
			require.FailNow(t, "a run does not start")
		}
		for _, pid := range payloads(t, r) {
			if !slices.Contains(pids, pid) {
				pids = append(pids, pid)
			}
		}
	}
	require.Len(t, pids, len(askers))
	before := make([]float64, len(pids))
	for i, pid := range pids {
		before[i] = processorTime(t, pid)
	}
	spent := make([]float64, len(pids))
	enough := 0.3 * float64(len(pids)) // many of the kernel's turns
	if inVM {
		enough *= 6 // and of its moving runs between two processors
	}
	require.Eventually(t, func() bool {
		together := 0.0
		for i, pid := range pids {
			spent[i] = processorTime(t, pid) - before[i]
			together += spent[i]
		}
		return together > enough
	}, time.Minute, 10*time.Millisecond)
	return spent
}

// processorTime is what the one thread of a process has used, in seconds.
func processorTime(t *testing.T, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/schedstat")
	assert.NoError(t, err)
	var nanoseconds float64
	_, err = fmt.Sscan(string(text), &nanoseconds)
	assert.NoError(t, err)
	return nanoseconds / 1e9
}

// Not beside other tests: it measures shares of one processor.
func TestCallersShareTheProcessorsEvenly(t *testing.T) {
	r := onOneProcessor(t)
	const many = 6
	heavy := policy.Caller{Local: true, UID: 1000, GID: 1000}
	light := policy.Caller{Local: true, UID: 1001, GID: 1001}
	for _, row := range []struct {
		name          string
		first, weight int // of the one with many runs, when the first of them came and then
		last          policy.Request
		want          float64 // time of the last run, as a part of that of all others
	}{
		{"one run of a caller gets as much as six of another", 1, 1, policy.Request{Caller: light}, 1},
		{"and half as much as six of one who weighs twice as much", 2, 2, policy.Request{Caller: light}, 0.5},
		{"also if that was settled while he had one already", 1, 2, policy.Request{Caller: light}, 0.5},
		{"the control: a seventh run of the same caller is one of seven", 1, 1, policy.Request{Caller: heavy, Weight: 1}, 1.0 / many},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked := make([]policy.Request, many, many+1)
			for i := range asked {
				asked[i] = policy.Request{Caller: heavy, Weight: row.weight}
			}
			asked[0].Weight = row.first
			spent := used(t, r, append(asked, row.last))
			others := 0.0
			for _, seconds := range spent[:many] {
				others += seconds
			}
			t.Logf("%.2f", spent)
			got := spent[many] / others
			low := 1.7
			if inVM { // on two processors it shares its own with a whole number of the others
				low = 2.2
			}
			assert.Greater(t, got, row.want/low)
			assert.Less(t, got, row.want*1.7)
		})
	}
}
