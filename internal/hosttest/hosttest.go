// Package hosttest is for tests that wait for real processes. It tells a starved
// host from a fault: on a starved host the test is skipped with one line, and for a
// fault it fails.
package hosttest

import (
	"fmt"
	"testing"
	"time"
)

// Bounds of a starved host.
const (
	// slowest is the slowdown from which a host counts as starved. A test must wait at
	// least this many times as long as its wait takes on an idle host.
	slowest = 6
	// calm is how long a wait may last before the host is measured: most waits are
	// over by then, and cost nothing.
	calm = 5 * time.Second
)

// Wait is one wait of a test, and what the host was like meanwhile.
type Wait struct {
	begin   time.Time
	sampled time.Time // when the last sample ended
	wanted  time.Duration
	took    time.Duration // for what was wanted
	before  usage
}

// Begin begins a wait.
func Begin() *Wait { return &Wait{begin: time.Now()} }

// Sample measures the host, once a second and not before the wait has become a long
// one. Who waits calls it as often as it likes.
func (w *Wait) Sample() {
	now := time.Now()
	switch {
	case now.Sub(w.begin) < calm:
		return
	case w.sampled.IsZero():
		w.before = used()
	case now.Sub(w.sampled) < time.Second:
		return
	}
	wanted, took := burst()
	w.wanted, w.took, w.sampled = w.wanted+wanted, w.took+took, time.Now()
}

// GiveUp ends the test, which has waited in vain: it fails, or it skips where the host
// was starved.
func (w *Wait) GiveUp(t testing.TB, format string, args ...any) {
	t.Helper()
	why := fmt.Sprintf(format, args...)
	waited := time.Since(w.begin).Round(time.Millisecond)
	if slow := w.slowness(); starved(slow, w.before, used()) {
		t.Skipf("host starved: in %s other processes made work take %.0f times as long: %s", waited, slow, firstLine(why))
	}
	t.Fatalf("after %s: %s", waited, why)
}

// slowness is how much longer than on an idle host work has taken.
func (w *Wait) slowness() float64 {
	if w.wanted == 0 {
		return 1
	}
	return float64(w.took) / float64(w.wanted)
}

// starved says whether it was too slow, and not by what the test itself has started:
// a fault that takes all processors is a fault.
func starved(slow float64, before, after usage) bool {
	ours, all := after.ours-before.ours, after.all-before.all
	return slow >= slowest && ours < all/2
}

// Eventually calls met every tick until it says yes, and gives up after patience.
// format and args say what was waited for; they are put together then.
func Eventually(t testing.TB, patience, tick time.Duration, met func() bool, format string, args ...any) {
	t.Helper()
	for w := Begin(); !met(); time.Sleep(tick) {
		if w.Sample(); time.Since(w.begin) > patience {
			w.GiveUp(t, format, args...)
		}
	}
}

// Receive takes from a channel, and gives up after patience.
func Receive[T any](t testing.TB, patience time.Duration, from <-chan T, format string, args ...any) (got T, ok bool) {
	t.Helper()
	w := Begin()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case got, ok = <-from:
			return got, ok
		case <-tick.C:
			if w.Sample(); time.Since(w.begin) > patience {
				w.GiveUp(t, format, args...)
			}
		}
	}
}
