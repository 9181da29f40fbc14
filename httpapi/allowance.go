package httpapi

import (
	"math"

	"safe-exec/policy"
)

// Allowance is what one caller may have. A zero field takes the default named
// with it; none is unlimited.
type Allowance struct {
	Runs              int     // synchronous runs at once; default three quarters of Config.Slots, so that one caller alone leaves a slot to others
	Waiting           int     // requests waiting for one; default Config.Waiting
	JobsQueued        int     // jobs waiting to run; default a quarter of Config.JobsQueued, and for root all
	JobRuns           int     // jobs that run at once; default three quarters of Config.JobSlots, and for root all
	RatePerMinute     float64 // requests of any kind; default 60000
	Burst             float64 // of these at once; default a tenth of RatePerMinute, at least 1
	CPUSecondsPerHour float64 // that runs and jobs use; default what all slots can use
	Weight            float64 // share beside other callers who wait; default 1
	// Limits is what it may ask for at most; nil fields are the profile's maximum.
	Limits policy.LimitsRequest
	Level  string // widest import policy level; empty is each profile's own ceiling
}

const defaultRate = 60000

// allowanceOf asks the operator's configuration, and completes its answer.
func (s *Server) allowanceOf(c policy.Caller) (Allowance, error) {
	var a Allowance
	if s.cfg.Callers != nil {
		var err error
		if a, err = s.cfg.Callers(c); err != nil {
			return a, err
		}
	}
	if a.JobsQueued <= 0 && c.Root() {
		a.JobsQueued = s.cfg.JobsQueued // his places are beside those of all others
	}
	if a.JobRuns <= 0 && c.Root() {
		a.JobRuns = s.cfg.JobSlots
	}
	return a.withDefaults(s.cfg), nil
}

// withDefaults also bounds what an operator gave too much of: more runs than
// there are slots would promise what cannot be had. What is negative or no number
// gets the default.
func (a Allowance) withDefaults(c Config) Allowance {
	count := func(v *int, usual, most int) {
		if *v <= 0 {
			*v = usual
		}
		*v = min(*v, most)
	}
	count(&a.Runs, c.Slots-c.Slots/4, c.Slots)
	count(&a.Waiting, c.Waiting, c.Waiting)
	count(&a.JobsQueued, max(c.JobsQueued/4, 1), c.JobsQueued)
	count(&a.JobRuns, c.JobSlots-c.JobSlots/4, c.JobSlots)
	number := func(v *float64, usual float64) {
		if !(*v > 0) || math.IsInf(*v, 0) {
			*v = usual
		}
	}
	number(&a.RatePerMinute, defaultRate)
	number(&a.Burst, a.RatePerMinute/10)
	a.Burst = max(a.Burst, 1)
	number(&a.CPUSecondsPerHour, 3600*float64(c.Slots+c.JobSlots))
	number(&a.Weight, 1)
	return a
}
