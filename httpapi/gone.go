package httpapi

import (
	"context"
	"errors"
	"net/http"

	"safe-exec/policy"
)

// errGone is about a caller who is no longer there. As a rule only the log hears of
// it. Who shut down the sending side of his connection alone (shutdown(2), SHUT_WR)
// can still read it: net/http cannot tell him from one who hung up. It is his doing
// and not the daemon's, and would be so again, so it is 400 and not 503.
func errGone(err error) error {
	return &refusal{status: http.StatusBadRequest, cause: &policy.Error{
		Code: policy.CodeInvalid, Err: err,
		Message: "the caller closed the sending side of its connection before the answer came, which counts as hanging up",
	}}
}

// left gives what a failure is in truth once a caller has gone: what he had begun was
// broken off, and that looks like a daemon that cannot. While the daemon drains it is
// that which broke it off.
func (s *Server) left(x *exchange, err error) error {
	gone := x.r.Context().Err()
	if err == nil || gone == nil {
		return err
	}
	var e *policy.Error
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &e) && (e.Code == policy.CodeUnavailable || e.Code == policy.CodeSetup):
	default:
		return err
	}
	if s.draining() {
		return errDraining
	}
	return errGone(err)
}
