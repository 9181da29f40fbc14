package nsjail

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// Exit statuses by which the harness makes a claim; package wire has the table.
const (
	exitException       = 90
	exitImportDenied    = 91
	exitPolicyViolation = 92
)

// evidence is all that a verdict may rest on: what the kernel, the cgroup, the
// filter's listener and the daemon's own clock say. Bytes that the payload
// chose are not here.
type evidence struct {
	spec policy.Spec

	// What the harness answered before any user code ran.
	violations []wire.Violation
	syntax     *syntaxError
	checked    bool     // it was asked for no more, and refuses nothing
	imports    []string // what the program imports, as a check found
	imported   int      // how many modules that is with those that are not listed
	unanswered bool     // it ended without an answer

	cancelled   bool          // by the caller
	deadline    bool          // the daemon's clock passed the time limit first
	elapsed     time.Duration // of the program
	outputBytes int64
	outputFlood bool // killed for passing the output limit
	denialFlood bool // killed for passing the denial limit
	denials     int64

	exited     bool // the payload's wait status is known
	status     syscall.WaitStatus
	usage      cgroup.Usage
	freeBytes  uint64 // of the working directory, at the end
	freeInodes uint64
	heapLimit  int64 // bytes the interpreter was told to keep its heap below; 0 for none
}

type syntaxError struct {
	line, column int
	message      string
}

// verdict is what judge decides.
type verdict struct {
	status      policy.Status
	exitCode    *int
	termination policy.Termination
	violations  []policy.Violation
}

// judge is a pure function. The order of its cases is the order of certainty:
// what happened before the program, then what we did to it, then what the
// kernel counted, then the wait status, and last what the program claims.
func judge(e evidence) (verdict, error) {
	v := verdict{violations: []policy.Violation{}}
	t := &v.termination
	seen := func(source, name string, value any) {
		t.Evidence = append(t.Evidence, policy.Evidence{Source: source, Name: name, Value: fmt.Sprint(value)})
	}
	limit := func(bound, observed int64) { t.Limit, t.Observed = &bound, &observed }
	decide := func(s policy.Status, r policy.Reason) { v.status, t.Reason = s, r }
	const mib = 1 << 20
	l := e.spec.Limits

	oom := e.usage.OOMKills > 0
	if oom && e.usage.MemoryMaxEvents == 0 && !e.cancelled {
		return verdict{}, &policy.Error{
			Code: policy.CodeUnavailable, Step: "memory",
			Message: "the host, or a memory limit above the runs, ran out of memory and the kernel ended the program; it was below its own limit",
		}
	}
	switch {
	case len(e.violations) > 0:
		decide(policy.Rejected, policy.ReasonPolicyViolation)
		for _, w := range e.violations {
			v.violations = append(v.violations, policy.Violation{
				Rule: w.Rule, Name: w.Name, Line: int(w.Line), Column: int(w.Column), Message: w.Message,
			})
		}
		seen("harness", "violations", len(e.violations))

	case e.syntax != nil:
		decide(policy.Failed, policy.ReasonSyntaxError)
		t.Line, t.Column, t.Message = e.syntax.line, e.syntax.column, e.syntax.message
		seen("harness", "parser", e.syntax.message)

	case e.checked:
		decide(policy.Succeeded, policy.ReasonCompleted)
		listed := ""
		if len(e.imports) < e.imported {
			listed = fmt.Sprintf(", of which %d are listed", len(e.imports))
		}
		seen("harness", "checked", fmt.Sprintf("imports: %d%s", e.imported, listed))

	case e.cancelled:
		decide(policy.Cancelled, policy.ReasonCancelled)
		seen("clock", "cancelled_after_ms", e.elapsed.Milliseconds())

	case oom:
		decide(policy.Failed, policy.ReasonMemoryLimit)
		limit(l.MaxMemoryMB, ceilDiv(e.usage.PeakMemoryBytes, mib))
		seen("cgroup", "oom_kill", e.usage.OOMKills)
		seen("cgroup", "memory_peak_bytes", e.usage.PeakMemoryBytes)

	case e.deadline:
		decide(policy.TimedOut, policy.ReasonWallTimeout)
		limit(l.TimeoutMS, e.elapsed.Milliseconds())
		seen("clock", "elapsed_ms", e.elapsed.Milliseconds())

	case e.outputFlood:
		decide(policy.Failed, policy.ReasonOutputLimit)
		limit(l.MaxOutputBytes, e.outputBytes)
		seen("capture", "output_bytes", e.outputBytes)

	case e.denialFlood:
		decide(policy.Failed, policy.ReasonSyscallDenied)
		limit(l.MaxDenials, e.denials)
		seen("notifier", "denied_calls", e.denials)

	case !e.exited:
		return verdict{}, &policy.Error{
			Code: policy.CodeInternal, Step: "wait",
			Message: "the jail ended without a wait status of the program",
		}

	case e.status.Signaled():
		judgeSignal(e, decide, limit, seen)
		if t.Reason == policy.ReasonSyntaxError {
			t.Line, t.Column = 1, 1
			t.Message = fmt.Sprintf("the program is nested too deeply or too large to parse (the interpreter ended by %s meanwhile)", unix.SignalName(e.status.Signal()))
			break
		}
		t.Signal = unix.SignalName(e.status.Signal())
		// An abort with that much memory in use may also be the program's whim.
		t.Claimed = t.Reason == policy.ReasonMemoryLimit

	default:
		code := e.status.ExitStatus()
		judgeExit(e, code, decide, limit, seen)
		switch t.Reason {
		case policy.ReasonExitNonzero, policy.ReasonCompleted:
			seen("wait", "exit_status", code)
		default:
			t.Claimed = t.Reason == reserved[code]
			seen("wait", "exit_status", fmt.Sprintf("%d (by which the harness claims %s; a bare interpreter exits with 1)", code, reserved[code]))
			code = 1
		}
		v.exitCode = &code
	}
	if !e.spec.CheckOnly { // a program that cannot be checked within the limits is too large for any
		settable(t, e.spec.Ranges)
	}
	t.Hint = hint(e, *t)
	return v, nil
}

// settable says which field of a request sets the limit that was hit, if one does. The
// hint leaves it out: each client has its own name for the field.
func settable(t *policy.Termination, r policy.LimitRanges) {
	switch t.Reason {
	case policy.ReasonWallTimeout:
		t.LimitField, t.LimitMaximum = "limits.timeout_ms", r.TimeoutMS.Max
	case policy.ReasonMemoryLimit:
		t.LimitField, t.LimitMaximum = "limits.max_memory_mb", r.MaxMemoryMB.Max
	default: // no request sets any other limit
	}
}

// reserved maps the statuses by which the harness makes a claim.
var reserved = map[int]policy.Reason{
	exitException:       policy.ReasonException,
	exitImportDenied:    policy.ReasonImportDenied,
	exitPolicyViolation: policy.ReasonPolicyViolation,
}

type (
	decideFunc func(policy.Status, policy.Reason)
	limitFunc  func(bound, observed int64)
	seenFunc   func(source, name string, value any)
)

func judgeSignal(e evidence, decide decideFunc, limit limitFunc, seen seenFunc) {
	sig := e.status.Signal()
	seen("wait", "signal", unix.SignalName(sig))
	switch {
	case sig == unix.SIGSYS:
		// The filter lets no program send it, so the filter did.
		decide(policy.Failed, policy.ReasonSyscallDenied)
	case (sig == unix.SIGABRT || sig == unix.SIGTRAP) && e.heapLimit > 0 && e.usage.PeakMemoryBytes >= e.heapLimit:
		// An engine that gives up at its heap limit aborts; the cgroup's
		// high-water mark is what tells it from any other abort.
		decide(policy.Failed, policy.ReasonMemoryLimit)
		limit(e.spec.Limits.MaxMemoryMB, ceilDiv(e.usage.PeakMemoryBytes, 1<<20))
		seen("cgroup", "memory_peak_bytes", e.usage.PeakMemoryBytes)
		seen("limit", "heap_limit_bytes", e.heapLimit)
	case e.unanswered && crashes[sig]:
		// Nobody's code but the interpreter's ran, on nothing but the text: at the edge
		// of its stack it crashes where one level more is an error of syntax.
		seen("harness", "answer", "none")
		decide(policy.Failed, policy.ReasonSyntaxError)
	default:
		decide(policy.Failed, policy.ReasonSignal)
	}
}

// crashes are the signals by which a process ends itself for a fault of its own.
var crashes = map[syscall.Signal]bool{
	unix.SIGSEGV: true, unix.SIGBUS: true, unix.SIGILL: true, unix.SIGFPE: true, unix.SIGABRT: true, unix.SIGTRAP: true,
}

func judgeExit(e evidence, code int, decide decideFunc, limit limitFunc, seen seenFunc) {
	l := e.spec.Limits
	switch {
	case code == 0:
		decide(policy.Succeeded, policy.ReasonCompleted)
	case code == exitException && e.usage.PidsMaxEvents > 0:
		decide(policy.Failed, policy.ReasonPidsLimit)
		limit(l.MaxPids, l.MaxPids)
		seen("cgroup", "pids_max_events", e.usage.PidsMaxEvents)
	case code == exitException && e.freeBytes == 0:
		decide(policy.Failed, policy.ReasonDiskLimit)
		limit(l.MaxDiskBytes, l.MaxDiskBytes)
		seen("filesystem", "free_bytes", e.freeBytes)
	case code == exitException && e.freeInodes == 0:
		decide(policy.Failed, policy.ReasonDiskLimit)
		limit(l.MaxFiles, l.MaxFiles)
		seen("filesystem", "free_inodes", e.freeInodes)
	case code == exitException, reserved[code] != "" && !e.spec.Level.Unrestricted:
		decide(policy.Failed, reserved[code])
	default:
		decide(policy.Failed, policy.ReasonExitNonzero)
	}
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
