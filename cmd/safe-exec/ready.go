package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"safe-exec/httpapi"
	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// readiness is whether work that is sent now would be taken. All of it is set
// before anybody can ask.
type readiness struct {
	ended     <-chan struct{}                           // closed when there is no executor any more
	describe  func() (httpapi.Description, error)       // asks it
	holding   func() error                              // held, asked lately
	recording func() error                              // the ledger
	store     interface{ Ready(context.Context) error } // of jobs
}

var _ interface{ Ready(context.Context) error } = (*jobs.Store)(nil)

// check gives a *policy.Error whose message a caller may see. What brings other
// failures with it is asked first.
func (r *readiness) check() error {
	select {
	case <-r.ended:
		return &policy.Error{Code: policy.CodeUnavailable, Step: "executor", Message: "what runs programs is gone, and is being started again"}
	default:
	}
	if err := r.held(); err != nil {
		return err
	}
	if err := r.recording(); err != nil {
		return err
	}
	return r.storing()
}

// held says whether the jails hold.
func (r *readiness) held() error {
	d, err := r.describe()
	switch {
	case err != nil:
		return shownCause(err)
	case !d.Posture.Check.Held:
		return &policy.Error{Code: policy.CodeSetup, Step: "posture", Message: "a layer of the jails does not hold, so nothing runs; GET /v1/posture says which"}
	}
	return nil
}

// mayRun says whether a run that is begun now would be refused for what is no fault of
// its program. What the ledger says is asked each time.
func (r *readiness) mayRun() error {
	if err := r.recording(); err != nil {
		return err
	}
	return r.holding()
}

// lately asks no more often than every so long, and gives the last answer meanwhile.
func lately(every time.Duration, ask func() error) func() error {
	var mu sync.Mutex
	var last error
	var at time.Time
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		if at.IsZero() || time.Since(at) >= every {
			last, at = ask(), time.Now()
		}
		return last
	}
}

// storing says whether jobs are kept.
func (r *readiness) storing() error {
	if r.store == nil {
		return nil
	}
	return shownCause(r.store.Ready(context.Background()))
}

// shownCause takes from an error what names paths; whoever found it has logged it.
func shownCause(err error) error {
	var e *policy.Error
	if errors.As(err, &e) {
		return e.Shown()
	}
	return err
}
