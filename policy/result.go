package policy

import (
	"encoding/json"
	"math"
	"time"
)

// Status is the outcome of a run in one word.
type Status string

const (
	Succeeded Status = "succeeded" // exited with 0
	Failed    Status = "failed"    // the program's own failure, or a limit other than time
	TimedOut  Status = "timed_out"
	Rejected  Status = "rejected" // the import policy refused it; none of it ran
	Cancelled Status = "cancelled"
	Errored   Status = "error" // our failure

	Queued  Status = "queued"  // jobs only
	Running Status = "running" // jobs only
)

// Reason says why a run ended.
type Reason string

const (
	ReasonCompleted       Reason = "completed"
	ReasonException       Reason = "exception"    // an uncaught exception
	ReasonExitNonzero     Reason = "exit_nonzero" // it chose a non-zero exit status
	ReasonSignal          Reason = "signal"       // ended by a signal that was not ours
	ReasonWallTimeout     Reason = "wall_timeout"
	ReasonCPUTimeout      Reason = "cpu_timeout"
	ReasonMemoryLimit     Reason = "memory_limit"
	ReasonPidsLimit       Reason = "pids_limit"
	ReasonOutputLimit     Reason = "output_limit"
	ReasonDiskLimit       Reason = "disk_limit"
	ReasonSyscallDenied   Reason = "syscall_denied"
	ReasonImportDenied    Reason = "import_denied"    // an uncaught ImportError of the policy, at run time
	ReasonPolicyViolation Reason = "policy_violation" // refused before running, or ended by the policy while it ran
	ReasonSyntaxError     Reason = "syntax_error"
	ReasonCancelled       Reason = "cancelled"
	ReasonRestarted       Reason = "restarted"
	ReasonExpired         Reason = "expired" // a job that waited past its deadline
	ReasonSetupError      Reason = "setup_error"
)

// Result is the answer to one run, as the API gives it. The first seven fields
// are the fixed contract; every field is always present.
type Result struct {
	Status      Status          `json:"status"`
	ExecutionID string          `json:"execution_id"`
	Stdout      string          `json:"stdout"` // valid UTF-8: other bytes are replaced by U+FFFD
	Stderr      string          `json:"stderr"`
	ResultJSON  json.RawMessage `json:"result_json"` // null where stdout holds no JSON
	Metrics     Metrics         `json:"metrics"`

	ExitCode        *int          `json:"exit_code"` // null when a signal ended it or it never ran
	Termination     Termination   `json:"termination"`
	Denials         []Denial      `json:"denials"`
	Violations      []Violation   `json:"violations"`
	Files           []File        `json:"files"`
	FilesSkipped    []SkippedFile `json:"files_skipped"`
	StdoutTruncated bool          `json:"stdout_truncated"`
	StderrTruncated bool          `json:"stderr_truncated"`
	LimitsApplied   Limits        `json:"limits_applied"`
	Policy          string        `json:"policy"`      // the level that was applied
	PolicyDeny      []string      `json:"policy_deny"` // modules that the request took out of it
	Layers          []Layer       `json:"layers"`
}

// CheckResult is the answer to a request that was only checked: what a run of
// it would come to before its first instruction. Every field is always present.
type CheckResult struct {
	WouldRun      bool        `json:"would_run"`
	ExecutionID   string      `json:"execution_id"` // names this check in the logs
	Imports       []string    `json:"imports"`      // modules that the program imports, sorted, at most 1,000 (the evidence counts all); none where it is refused
	Violations    []Violation `json:"violations"`
	Termination   Termination `json:"termination"` // why it would not run: policy_violation, syntax_error, or a limit on the check
	LimitsApplied Limits      `json:"limits_applied"`
	Policy        string      `json:"policy"`
	PolicyDeny    []string    `json:"policy_deny"`
	Metrics       Metrics     `json:"metrics"`
	Layers        []Layer     `json:"layers"`
}

// Metrics is what a run cost. Times are milliseconds of a monotonic clock.
type Metrics struct {
	ExecutionTimeMS float64 `json:"execution_time_ms"` // from handing over the code to the end of the program
	StdoutBytes     int64   `json:"stdout_bytes"`      // written by the program, kept or not
	StderrBytes     int64   `json:"stderr_bytes"`
	QueueTimeMS     float64 `json:"queue_time_ms"` // waiting for a slot
	StartTimeMS     float64 `json:"start_time_ms"` // until a proved jail was there: made for this run, or a spare that was looked at again
	TotalTimeMS     float64 `json:"total_time_ms"` // all of it, up to the answer
	CPUUserMS       float64 `json:"cpu_user_ms"`   // of the whole jail, with the interpreter's start if it was made for this run
	CPUSystemMS     float64 `json:"cpu_system_ms"`
	PeakMemoryBytes int64   `json:"peak_memory_bytes"` // the cgroup's high-water mark
	ThrottledMS     float64 `json:"throttled_ms"`      // time held back by the CPU quota
	StartMode       string  `json:"start_mode"`        // StartCold, StartWarm or StartFork; empty where nothing was started
	Attempt         int64   `json:"attempt"`           // which start of this job it was; above 1 after the daemon ended in the midst of one
}

// The ways to start. They differ in when the jail was made and by whom, never in
// what holds it.
const (
	StartCold = "cold" // the interpreter was started for this run
	StartWarm = "warm" // it had been started for a run to come
	StartFork = "fork" // it is the child of one that had loaded everything
)

// Millis is a duration in milliseconds, to the microsecond, which is how well
// such times are known.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Queued adds the time that the run waited for its place. A sum of milliseconds
// shows more digits than are known, so it is rounded.
func (m *Metrics) Queued(wait time.Duration) {
	for _, ms := range []*float64{&m.QueueTimeMS, &m.TotalTimeMS} {
		*ms = math.Round((*ms+Millis(wait))*1000) / 1000
	}
}

// Termination says why a run ended, on what evidence, and what to do.
type Termination struct {
	Reason       Reason     `json:"reason"`
	Signal       string     `json:"signal,omitempty"`        // SIGSEGV and the like
	Limit        *int64     `json:"limit,omitempty"`         // the limit that was hit, in the unit of its limits_applied field
	LimitField   string     `json:"limit_field,omitempty"`   // the field of a request that sets it, if one does: limits.timeout_ms
	LimitMaximum int64      `json:"limit_maximum,omitempty"` // the most that this caller may ask for in that field
	Observed     *int64     `json:"observed,omitempty"`      // what was seen against it, same unit
	Line         int        `json:"line,omitempty"`          // syntax_error: 1-based
	Column       int        `json:"column,omitempty"`        // syntax_error: 1-based
	Message      string     `json:"message,omitempty"`       // syntax_error: the parser's words
	Evidence     []Evidence `json:"evidence"`
	Hint         string     `json:"hint"`              // one sentence for a person or a model
	Claimed      bool       `json:"claimed,omitempty"` // only the program's side says so
}

// Evidence is one observation that the verdict rests on.
type Evidence struct {
	Source string `json:"source"` // wait, cgroup, clock, notifier, capture, filesystem, harness
	Name   string `json:"name"`   // the kernel's own name where there is one: memory.events oom_kill
	Value  string `json:"value"`
}

// Denial counts one system call that the filter refused.
type Denial struct {
	Syscall string `json:"syscall"`
	Count   int64  `json:"count"`
}

// Violation is one place where the program breaks the import policy.
type Violation struct {
	Rule    string `json:"rule"`   // import_blocked, import_not_allowed, name_blocked, attribute_blocked, syntax_not_allowed
	Name    string `json:"name"`   // the module, builtin or attribute
	Line    int    `json:"line"`   // 1-based
	Column  int    `json:"column"` // 1-based, in characters
	Message string `json:"message"`
}

// File is one file that the program left for its caller. It has Text where its
// bytes are UTF-8, else Content.
type File struct {
	Path    string `json:"path"` // below the working directory
	Size    int64  `json:"size"` // bytes
	SHA256  string `json:"sha256"`
	Text    string `json:"text,omitempty"`
	Content []byte `json:"content_base64,omitempty"`
}

// SkippedFile is a file that matched and was not brought back.
type SkippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Layer says of one isolation layer whether it held this run.
type Layer struct {
	Name   string `json:"name"`
	State  string `json:"state"` // enforced, or missing
	Detail string `json:"detail,omitempty"`
}
