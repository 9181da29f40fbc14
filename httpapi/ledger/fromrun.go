package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"time"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// Bounds of what a record takes over, so that a line is bounded: bytes of a text,
// members of a list.
const (
	maxText = 128
	maxList = policy.MaxDeny
)

// recordOf keeps of a run what a record may hold. Texts that came from a caller,
// and are not yet known to be one of a closed set, are not taken over.
func recordOf(r observe.Run) *Run {
	out := &Run{
		Asked: askedOf(r), Program: programOf(r.Program),
		PolicyDigest: clip(r.PolicyDigest), Profile: clip(r.Profile), ProfileDigest: clip(r.ProfileDigest),
	}
	switch {
	case r.Result != nil:
		out.verdict(r.Result)
	case r.Check != nil:
		out.checked(r.Check)
	default:
		out.failed(r.Err)
	}
	status, code := observe.StatusOf(r)
	out.Status, out.Code = policy.Status(clip(string(status))), policy.Code(clip(string(code)))
	return out
}

func askedOf(r observe.Run) Asked {
	return Asked{
		Who: clip(r.Caller.String()), Kind: clip(string(r.Kind)), RequestID: clip(r.RequestID), TraceID: clip(r.TraceID), JobID: clip(r.JobID),
		Attempt: r.Attempt,
	}
}

func programOf(p observe.Program) Program {
	return Program{
		Language: clip(p.Language), CodeSHA256: clip(p.CodeSHA256), CodeBytes: p.CodeBytes,
		InputSHA256: clip(p.InputSHA256), InputBytes: p.InputBytes,
	}
}

func (out *Run) verdict(r *policy.Result) {
	out.Execution, out.Policy, out.Deny = clip(r.ExecutionID), clip(r.Policy), clipAll(r.PolicyDeny)
	out.Reason = policy.Reason(clip(string(r.Termination.Reason)))
	out.ExitCode, out.Claimed = r.ExitCode, r.Termination.Claimed
	out.Missing = missing(r.Layers)
	if usage := usageOf(r.Metrics); *usage != (Usage{}) {
		out.Usage = usage
	}
	if limits := r.LimitsApplied; limits != (policy.Limits{}) {
		out.Limits = &limits
	}
	for _, d := range r.Denials[:min(len(r.Denials), maxList)] {
		out.Denials = append(out.Denials, policy.Denial{Syscall: clip(d.Syscall), Count: d.Count})
	}
	if r.Metrics.StartMode == "" && len(r.Stdout)+len(r.Stderr)+len(r.Files) == 0 {
		return // nothing was started
	}
	out.Stdout = textOf(r.Stdout, r.Metrics.StdoutBytes, r.StdoutTruncated)
	out.Stderr = textOf(r.Stderr, r.Metrics.StderrBytes, r.StderrTruncated)
	out.Files = &Files{Count: len(r.Files), Skipped: len(r.FilesSkipped)}
	for _, f := range r.Files {
		out.Files.Bytes += f.Size
	}
}

func (out *Run) checked(c *policy.CheckResult) {
	out.Execution, out.Policy, out.Deny = clip(c.ExecutionID), clip(c.Policy), clipAll(c.PolicyDeny)
	out.Reason = policy.Reason(clip(string(c.Termination.Reason)))
	limits := c.LimitsApplied
	out.Limits, out.Usage, out.Missing = &limits, usageOf(c.Metrics), missing(c.Layers)
}

func (out *Run) failed(err error) {
	var e *policy.Error
	if errors.As(err, &e) {
		out.Step = clip(e.Step)
	}
}

func usageOf(m policy.Metrics) *Usage {
	return &Usage{
		QueueMS: finite(m.QueueTimeMS), StartMS: finite(m.StartTimeMS), ExecutionMS: finite(m.ExecutionTimeMS), TotalMS: finite(m.TotalTimeMS),
		CPUUserMS: finite(m.CPUUserMS), CPUSystemMS: finite(m.CPUSystemMS), ThrottledMS: finite(m.ThrottledMS), PeakMemoryBytes: m.PeakMemoryBytes,
		StartMode: clip(m.StartMode),
	}
}

func missing(layers []policy.Layer) (names []string) {
	for _, l := range layers {
		if l.State != "enforced" && len(names) < maxList {
			names = append(names, clip(l.Name))
		}
	}
	return names
}

func textOf(kept string, written int64, truncated bool) *Text {
	sum := sha256.Sum256([]byte(kept))
	return &Text{Bytes: written, Kept: len(kept), SHA256: hex.EncodeToString(sum[:]), Truncated: truncated}
}

// sane is a time that JSON can hold.
func sane(t time.Time) time.Time {
	if year := t.UTC().Year(); t.IsZero() || year < 1970 || year > 9999 {
		t = time.Now()
	}
	return t.UTC()
}

// finite is a number that JSON can hold.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return -1
	}
	return f
}

func clip(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "")
}

func clipAll(list []string) (out []string) {
	for _, s := range list[:min(len(list), maxList)] {
		out = append(out, clip(s))
	}
	return out
}
