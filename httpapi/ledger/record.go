package ledger

import (
	"time"

	"safe-exec/policy"
)

// Kinds of records.
const (
	kindBegin   = "begin"   // a run begins
	kindRun     = "run"     // a run has ended
	kindCarried = "carried" // a run that began in an earlier file has not ended
	kindOpened  = "opened"  // a daemon began to write
	kindDropped = "dropped" // the oldest file was removed, as Config.Keep demands
)

// Record is one line. Prev and Hash are SHA-256, hexadecimal. Lines of released
// versions must stay readable, and a line must be the very bytes that this type gives:
// so a field may be added with omitempty, before Hash, and none is renamed, moved or
// taken away.
type Record struct {
	Seq     uint64    `json:"seq"` // from 1, without gaps over all files
	Time    time.Time `json:"time"`
	Prev    string    `json:"prev"` // hash of the record before; 64 zeros in the first
	Kind    string    `json:"kind"` // begin, run, carried, opened, dropped
	Begun   *Begun    `json:"begun,omitempty"`
	Run     *Run      `json:"run,omitempty"`
	Opened  *Opened   `json:"opened,omitempty"`
	Dropped *Point    `json:"dropped,omitempty"` // the last record that was removed
	Hash    string    `json:"hash"`              // over the line without it
}

// Point is a place in the chain.
type Point struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// Opened is what a daemon found when it began to write.
type Opened struct {
	Version string `json:"version"`
	Kernel  string `json:"kernel"`
	// BeyondHead counts records that the head did not cover yet: written right
	// before the last daemon was killed.
	BeyondHead uint64 `json:"beyond_head"`
	// Torn names what stands before this line and was not finished; no run was
	// answered for it.
	Torn *Torn `json:"torn,omitempty"`
	// Lost counts runs that have no record, because none could be written and the
	// memory for them was full.
	Lost uint64 `json:"lost,omitempty"`
}

// Torn is what is known of unfinished lines.
type Torn struct {
	Bytes  int    `json:"bytes"` // without the newline at their end
	SHA256 string `json:"sha256"`
}

// Begun is what is known of a run before it starts.
type Begun struct {
	Asked
	Program
	// Of is the begin that is carried, and Since its time; absent in the begin itself.
	Of    *Point     `json:"of,omitempty"`
	Since *time.Time `json:"since,omitempty"`
}

// Asked is where a run comes from.
type Asked struct {
	Who       string `json:"who"`  // policy.Caller.String
	Kind      string `json:"kind"` // sync, job, check
	RequestID string `json:"request_id,omitempty"`
	TraceID   string `json:"trace_id,omitempty"`
	JobID     string `json:"job_id,omitempty"`
	Attempt   int64  `json:"attempt,omitempty"`
}

// Program names what was to run.
type Program struct {
	Language    string `json:"language"`
	CodeSHA256  string `json:"code_sha256"`
	CodeBytes   int    `json:"code_bytes"`
	InputSHA256 string `json:"input_sha256"`
	InputBytes  int    `json:"input_bytes"`
}

// Run is what is kept of one run that has ended. Limits, Usage, Stdout, Stderr and Files
// are not there where nothing was started.
type Run struct {
	Asked
	Execution string `json:"execution_id,omitempty"`
	Program
	Policy        string   `json:"policy,omitempty"`
	Deny          []string `json:"deny,omitempty"`
	PolicyDigest  string   `json:"policy_digest,omitempty"`
	Profile       string   `json:"profile,omitempty"`
	ProfileDigest string   `json:"profile_digest,omitempty"`

	Limits   *policy.Limits  `json:"limits,omitempty"`
	Status   policy.Status   `json:"status"` // where it got no verdict: refused, by Code, or error
	Reason   policy.Reason   `json:"reason,omitempty"`
	Code     policy.Code     `json:"code,omitempty"` // of the error
	Step     string          `json:"step,omitempty"` // setup_error, unavailable: the step that failed
	ExitCode *int            `json:"exit_code,omitempty"`
	Claimed  bool            `json:"claimed,omitempty"` // only the program's side says so
	Usage    *Usage          `json:"usage,omitempty"`
	Denials  []policy.Denial `json:"denials,omitempty"`
	Stdout   *Text           `json:"stdout,omitempty"`
	Stderr   *Text           `json:"stderr,omitempty"`
	Files    *Files          `json:"files,omitempty"`
	// Missing names the layers that an operator does without.
	Missing []string `json:"layers_missing,omitempty"`
	// Begin is the sequence number of the record that it began with; 0 where there is
	// none: a job that ended without a run, or a begin that could not be written.
	Begin uint64 `json:"begin,omitempty"`
	// Detail says of a run that the ledger itself ended why it did.
	Detail string `json:"detail,omitempty"`
}

// Usage is what the run cost; times are milliseconds.
type Usage struct {
	QueueMS         float64 `json:"queue_ms"`
	StartMS         float64 `json:"start_ms"`
	ExecutionMS     float64 `json:"execution_ms"`
	TotalMS         float64 `json:"total_ms"`
	CPUUserMS       float64 `json:"cpu_user_ms"`
	CPUSystemMS     float64 `json:"cpu_system_ms"`
	ThrottledMS     float64 `json:"throttled_ms"`
	PeakMemoryBytes int64   `json:"peak_memory_bytes"`
	StartMode       string  `json:"start_mode"`
}

// Text stands for an output: how much was written, and the hash of what the result
// holds of it.
type Text struct {
	Bytes     int64  `json:"bytes"`
	Kept      int    `json:"kept"`
	SHA256    string `json:"sha256"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Files counts what was brought back.
type Files struct {
	Count   int   `json:"count"`
	Bytes   int64 `json:"bytes"`
	Skipped int   `json:"skipped"`
}
