package nsjail

import (
	"context"

	"safe-exec/nsjail/collect"
	"safe-exec/policy"
)

// leavesFiles says whether a run that ended so brings files back: it ended by
// itself, so that no process of it is left, and what it left is what it meant to.
func leavesFiles(e evidence, v verdict) bool {
	switch v.termination.Reason {
	case policy.ReasonCompleted, policy.ReasonException, policy.ReasonExitNonzero, policy.ReasonSignal,
		policy.ReasonImportDenied, policy.ReasonPolicyViolation:
		return e.exited && v.status != policy.Rejected && !e.untouched()
	case policy.ReasonWallTimeout, policy.ReasonCPUTimeout, policy.ReasonMemoryLimit, policy.ReasonPidsLimit,
		policy.ReasonOutputLimit, policy.ReasonDiskLimit, policy.ReasonSyscallDenied, policy.ReasonCancelled: // it was ended
	case policy.ReasonSyntaxError, policy.ReasonRestarted, policy.ReasonExpired, policy.ReasonSetupError: // it did not run
	}
	return false
}

// untouched says that the working directory holds nothing: its own inode alone is
// taken.
func (e evidence) untouched() bool { return int64(e.freeInodes) == e.spec.Limits.MaxFiles-1 }

// bringBack gives the files that the spec asks for, and what is not brought back.
// It fails in no other way that a caller would have to know of.
func (j *jail) bringBack(ctx context.Context) ([]policy.File, []policy.SkippedFile) {
	files, skipped, err := collect.From(ctx, int(j.control.Fd()), j.spec)
	if err != nil && ctx.Err() == nil {
		j.runner.log.Error("files not brought back", "error", err)
	}
	return files, skipped
}
