package metrics

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// other stands for every value that is not in a set.
const other = "other"

// closed is the set of values that a label may have.
type closed map[string]bool

func setOf[T ~string](values ...T) closed {
	s := closed{}
	for _, v := range values {
		s[string(v)] = true
	}
	return s
}

// and adds those of another set.
func (s closed) and(more closed) closed {
	maps.Copy(s, more)
	return s
}

func (s closed) of(value string) string {
	if s[value] {
		return value
	}
	return other
}

// values are all that of can give, sorted.
func (s closed) values() []string {
	list := []string{other}
	for v := range s {
		list = append(list, v)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// callNames are those of the kernel's table for x86_64, one on a line.
//
//go:embed syscalls.txt
var callNames string

var (
	kinds     = setOf(observe.Sync, observe.Job, observe.Check)
	languages = setOf(policy.Languages()...)
	statuses  = setOf(policy.Succeeded, policy.Failed, policy.TimedOut, policy.Rejected, policy.Cancelled, policy.Errored, observe.Refused)
	reasons   = setOf(
		policy.ReasonCompleted, policy.ReasonException, policy.ReasonExitNonzero, policy.ReasonSignal, policy.ReasonWallTimeout,
		policy.ReasonCPUTimeout, policy.ReasonMemoryLimit, policy.ReasonPidsLimit, policy.ReasonOutputLimit, policy.ReasonDiskLimit,
		policy.ReasonSyscallDenied, policy.ReasonImportDenied, policy.ReasonPolicyViolation, policy.ReasonSyntaxError,
		policy.ReasonCancelled, policy.ReasonRestarted, policy.ReasonSetupError, "expired", none,
	).and(codes)
	starts  = setOf(policy.StartCold, policy.StartWarm, policy.StartFork, none)
	sources = setOf(spare, template, cold, asked, none)
	phases  = setOf("queue", "start", "execution", "total")
	calls   = setOf(strings.Fields(callNames)...)
	streams = setOf("stdout", "stderr")
	files   = setOf("collected", "skipped")
	refused = setOf(observe.Reasons...)
	codes   = setOf(
		policy.CodeInvalid, policy.CodeTooLarge, policy.CodeForbidden, policy.CodeNotFound, policy.CodeConflict,
		policy.CodeBusy, policy.CodeSetup, policy.CodeUnavailable, policy.CodeInternal,
	)
)

// none stands for what a run has not: a reason when a check found none, a start when
// nothing was started.
const none = "none"

// Where a jail came from.
const (
	spare    = "spare"    // it waited
	template = "template" // a template forked it, now or beforehand
	cold     = "cold"     // it was made for the run
	asked    = "asked"    // the caller chose: it says nothing about the pool
)
