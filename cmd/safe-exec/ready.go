package main

import (
	"context"
	"errors"

	"safe-exec/httpapi"
	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// readiness is whether work that is sent now would be taken. All of it is set
// before anybody can ask.
type readiness struct {
	ended     <-chan struct{}                           // closed when there is no executor any more
	describe  func() (httpapi.Description, error)       // asks it
	recording func() error                              // the ledger
	store     interface{ Ready(context.Context) error } // of jobs
}

var _ interface{ Ready(context.Context) error } = (*jobs.Store)(nil)

// check gives a *policy.Error whose message a caller may see. What brings other
// failures with it is asked first.
func (r *readiness) check() error {
	select {
	case <-r.ended:
		return &policy.Error{Code: policy.CodeUnavailable, Message: "what runs programs is gone, and is being started again"}
	default:
	}
	d, err := r.describe()
	switch {
	case err != nil:
		return shownCause(err)
	case !d.Posture.Check.Held:
		return &policy.Error{Code: policy.CodeSetup, Step: "posture", Message: "a layer of the jails does not hold, so nothing runs; GET /v1/posture says which"}
	}
	if err := r.recording(); err != nil {
		return err
	}
	return r.storing()
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
		return &policy.Error{Code: e.Code, Message: e.Message}
	}
	return err
}
