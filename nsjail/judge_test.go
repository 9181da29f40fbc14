package nsjail

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

func exitedWith(code int) evidence {
	return evidence{exited: true, status: syscall.WaitStatus(code << 8), freeBytes: 1, freeInodes: 1}
}

func killedBy(sig unix.Signal) evidence {
	return evidence{exited: true, status: syscall.WaitStatus(sig), freeBytes: 1, freeInodes: 1}
}

func (e evidence) with(change func(*evidence)) evidence { change(&e); return e }

func TestJudge(t *testing.T) {
	oom := func(e *evidence) {
		e.usage = cgroup.Usage{OOMKills: 1, MemoryMaxEvents: 3, PeakMemoryBytes: 256 << 20}
	}
	one := 1
	three := 3
	zero := 0
	for _, row := range []struct {
		name     string
		evidence evidence
		status   policy.Status
		reason   policy.Reason
		exitCode *int
		claimed  bool
	}{
		{"exit 0 is success", exitedWith(0), policy.Succeeded, policy.ReasonCompleted, &zero, false},
		{"exit 3 is the program's own doing", exitedWith(3), policy.Failed, policy.ReasonExitNonzero, &three, false},
		{"exit 90 is an exception, as the harness claims", exitedWith(90), policy.Failed, policy.ReasonException, &one, true},
		{"exit 91 is a refused import, as claimed", exitedWith(91), policy.Failed, policy.ReasonImportDenied, &one, true},
		{"exit 92 is a violation at run time, as claimed", exitedWith(92), policy.Failed, policy.ReasonPolicyViolation, &one, true},
		{"exit 137 is no memory limit", exitedWith(137), policy.Failed, policy.ReasonExitNonzero, ptr(137), false},
		{"a segmentation fault is a signal", killedBy(unix.SIGSEGV), policy.Failed, policy.ReasonSignal, nil, false},
		{"SIGKILL without an OOM count is a signal", killedBy(unix.SIGKILL), policy.Failed, policy.ReasonSignal, nil, false},
		{"SIGKILL with an OOM count is the memory limit", killedBy(unix.SIGKILL).with(oom), policy.Failed, policy.ReasonMemoryLimit, nil, false},
		{"an init lost to memory is the memory limit", evidence{}.with(oom), policy.Failed, policy.ReasonMemoryLimit, nil, false},
		{"SIGSYS comes from the filter alone", killedBy(unix.SIGSYS), policy.Failed, policy.ReasonSyscallDenied, nil, false},
		{"an abort at the heap limit is the memory limit", killedBy(unix.SIGABRT).with(func(e *evidence) {
			e.heapLimit, e.usage.PeakMemoryBytes = 192<<20, 200<<20
		}), policy.Failed, policy.ReasonMemoryLimit, nil, true},
		{"an abort far below the heap limit is a signal", killedBy(unix.SIGABRT).with(func(e *evidence) {
			e.heapLimit, e.usage.PeakMemoryBytes = 192<<20, 60<<20
		}), policy.Failed, policy.ReasonSignal, nil, false},
		{"a crash before the harness's answer is a program that is too much to parse", killedBy(unix.SIGABRT).with(func(e *evidence) { e.unanswered = true }), policy.Failed, policy.ReasonSyntaxError, nil, false},
		{"so it is by the kernel's word", killedBy(unix.SIGSEGV).with(func(e *evidence) { e.unanswered = true }), policy.Failed, policy.ReasonSyntaxError, nil, false},
		{"a heap that is full before it is the memory limit", killedBy(unix.SIGABRT).with(func(e *evidence) {
			e.unanswered, e.heapLimit, e.usage.PeakMemoryBytes = true, 192<<20, 200<<20
		}), policy.Failed, policy.ReasonMemoryLimit, nil, true},
		{"SIGKILL before it is no crash", killedBy(unix.SIGKILL).with(func(e *evidence) { e.unanswered = true }), policy.Failed, policy.ReasonSignal, nil, false},
		{"our deadline is a time-out", evidence{deadline: true, elapsed: time.Second}, policy.TimedOut, policy.ReasonWallTimeout, nil, false},
		{"memory counts before time", evidence{deadline: true}.with(oom), policy.Failed, policy.ReasonMemoryLimit, nil, false},
		{"the caller's cancel counts before all that followed", evidence{cancelled: true}.with(oom), policy.Cancelled, policy.ReasonCancelled, nil, false},
		{"too much output", evidence{outputFlood: true}, policy.Failed, policy.ReasonOutputLimit, nil, false},
		{"too many denials", evidence{denialFlood: true}, policy.Failed, policy.ReasonSyscallDenied, nil, false},
		{"threads refused and a failure", exitedWith(90).with(func(e *evidence) { e.usage.PidsMaxEvents = 2 }), policy.Failed, policy.ReasonPidsLimit, &one, false},
		{"threads refused and no failure", exitedWith(0).with(func(e *evidence) { e.usage.PidsMaxEvents = 2 }), policy.Succeeded, policy.ReasonCompleted, &zero, false},
		{"a full disk and a failure", exitedWith(90).with(func(e *evidence) { e.freeBytes = 0 }), policy.Failed, policy.ReasonDiskLimit, &one, false},
		{"a full disk and a status of its own", exitedWith(3).with(func(e *evidence) { e.freeBytes = 0 }), policy.Failed, policy.ReasonExitNonzero, &three, false},
		{"no inodes left and a failure", exitedWith(90).with(func(e *evidence) { e.freeInodes = 0 }), policy.Failed, policy.ReasonDiskLimit, &one, false},
		{"a refused tree is rejected", evidence{violations: []wire.Violation{{Rule: "import_blocked"}}}, policy.Rejected, policy.ReasonPolicyViolation, nil, false},
		{"a program that was only checked and is refused nothing", evidence{checked: true}, policy.Succeeded, policy.ReasonCompleted, nil, false},
		{"an answer that came counts before the cancel that came with it", evidence{checked: true, cancelled: true}, policy.Succeeded, policy.ReasonCompleted, nil, false},
		{"a check that runs out of time", evidence{deadline: true, elapsed: time.Second}.with(func(e *evidence) { e.spec.CheckOnly = true }), policy.TimedOut, policy.ReasonWallTimeout, nil, false},
		{"a syntax error is a failure", evidence{syntax: &syntaxError{1, 2, "invalid syntax"}}, policy.Failed, policy.ReasonSyntaxError, nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.evidence.spec = policy.Spec{Language: policy.Python, LevelName: "strict", CheckOnly: row.evidence.spec.CheckOnly || row.evidence.checked, Limits: policy.Limits{MaxMemoryMB: 256, TimeoutMS: 1000}}
			v, err := judge(row.evidence)
			require.NoError(t, err)
			assert.Equal(t, row.status, v.status)
			assert.Equal(t, row.reason, v.termination.Reason)
			assert.Equal(t, row.exitCode, v.exitCode)
			assert.Equal(t, row.claimed, v.termination.Claimed)
			assert.NotEmpty(t, v.termination.Evidence, "a verdict without evidence")
			assert.NotEmpty(t, v.termination.Hint)
		})
	}
}

func TestJudgeWhereNothingIsForbiddenNothingIsDenied(t *testing.T) {
	for _, status := range []int{91, 92} {
		e := exitedWith(status)
		e.spec.Level.Unrestricted = true
		v, err := judge(e)
		require.NoError(t, err)
		assert.Equal(t, policy.ReasonExitNonzero, v.termination.Reason)
		assert.Equal(t, status, *v.exitCode)
		assert.False(t, v.termination.Claimed)
	}
}

func TestJudgeMemoryThatRanOutAboveTheRunIsNotTheRunsLimit(t *testing.T) {
	e := killedBy(unix.SIGKILL)
	e.usage.OOMKills = 1
	_, err := judge(e)
	var ours *policy.Error
	require.ErrorAs(t, err, &ours)
	assert.Equal(t, policy.CodeUnavailable, ours.Code)
}

func ptr[T any](v T) *T { return &v }

func TestJudgeWithoutAWaitStatusIsOurError(t *testing.T) {
	_, err := judge(evidence{})
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, policy.CodeInternal, e.Code)
}
