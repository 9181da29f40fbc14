package httpapi

import "time"

// window adds up what was used in the last hour, in steps: what was used within a
// step is forgotten an hour after the step's end, so that no hour holds more than
// the sum that is shown.
type window struct {
	sums [windowSteps]float64
	step int64 // the number of the newest
}

const (
	windowStep  = 5 * time.Minute
	windowSteps = int(time.Hour/windowStep) + 1
)

// add counts an amount as used now. Time is told from any fixed beginning.
func (w *window) add(now time.Duration, amount float64) {
	w.roll(now)
	w.sums[w.step%int64(windowSteps)] += amount
}

// roll forgets what is older than an hour.
func (w *window) roll(now time.Duration) {
	step := int64(now / windowStep)
	for range min(step-w.step, int64(windowSteps)) {
		w.step++
		w.sums[w.step%int64(windowSteps)] = 0
	}
	w.step = max(w.step, step)
}

// wait is how long it takes until less than most is left of what was used; 0 if
// that is so now.
func (w *window) wait(now time.Duration, most float64) time.Duration {
	w.roll(now)
	sum := 0.0
	for _, s := range w.sums {
		sum += s
	}
	if sum < most {
		return 0
	}
	// The oldest step is forgotten when the next one begins.
	for i := int64(1); i < int64(windowSteps); i++ {
		sum -= w.sums[(w.step+i)%int64(windowSteps)]
		if sum < most {
			return time.Duration(w.step+i)*windowStep - now
		}
	}
	return time.Duration(w.step+int64(windowSteps))*windowStep - now
}
