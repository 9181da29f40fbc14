package observe

import (
	"errors"

	"safe-exec/policy"
)

// Refused is the status of what was turned away for its caller's own sake before
// anything ran: a wrong field, a limit above a ceiling, no room. It is no run's verdict,
// and no failure of ours, which is policy.Errored.
const Refused policy.Status = "refused"

// StatusOf says what became of a run that has ended, and of what got no verdict the
// code of its error. A check that found a reason not to run has the status that the
// run would have had.
func StatusOf(r Run) (policy.Status, policy.Code) {
	switch {
	case r.Result != nil:
		return r.Result.Status, ""
	case r.Check != nil:
		return statusOfCheck(r.Check), ""
	}
	code := policy.CodeInternal
	var e *policy.Error
	if errors.As(r.Err, &e) {
		code = e.Code
	}
	if Refuses(code) {
		return Refused, code
	}
	return policy.Errored, code
}

// Refuses says whether the code is that of a refusal, and not of a failure of ours.
func Refuses(code policy.Code) bool {
	switch code {
	case policy.CodeInvalid, policy.CodeTooLarge, policy.CodeForbidden, policy.CodeNotFound, policy.CodeConflict, policy.CodeBusy:
		return true
	case policy.CodeSetup, policy.CodeUnavailable, policy.CodeInternal: // failures of ours
	}
	return false
}

func statusOfCheck(c *policy.CheckResult) policy.Status {
	if c.WouldRun {
		return policy.Succeeded
	}
	switch c.Termination.Reason {
	case policy.ReasonPolicyViolation, policy.ReasonImportDenied:
		return policy.Rejected
	case policy.ReasonWallTimeout, policy.ReasonCPUTimeout:
		return policy.TimedOut
	case policy.ReasonCancelled:
		return policy.Cancelled
	case policy.ReasonMemoryLimit, policy.ReasonPidsLimit, policy.ReasonOutputLimit, policy.ReasonDiskLimit,
		policy.ReasonSyscallDenied, policy.ReasonSyntaxError, policy.ReasonException, policy.ReasonExitNonzero, policy.ReasonSignal:
	case policy.ReasonCompleted, policy.ReasonRestarted, policy.ReasonExpired, policy.ReasonSetupError: // no check ends so
	}
	return policy.Failed
}
