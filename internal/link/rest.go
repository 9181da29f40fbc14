package link

import "safe-exec/policy"

// rest is what of a result crosses as JSON. Numbers cross by themselves: there are
// many, and to decode them from JSON takes longer than all else of a small run's
// answer. A test fills every field of a result and wants it back.
type rest struct {
	Status          policy.Status        `json:"s"`
	ExecutionID     string               `json:"e"`
	StartMode       string               `json:"m"`
	ExitCode        *int                 `json:"x"`
	Termination     policy.Termination   `json:"t"`
	Denials         []policy.Denial      `json:"d"`
	Violations      []policy.Violation   `json:"v"`
	Files           []policy.File        `json:"f"`
	FilesSkipped    []policy.SkippedFile `json:"k"`
	StdoutTruncated bool                 `json:"o"`
	StderrTruncated bool                 `json:"r"`
	Policy          string               `json:"p"`
	PolicyDeny      []string             `json:"n"`
}

func restOf(r *policy.Result) rest {
	return rest{
		r.Status, r.ExecutionID, r.Metrics.StartMode, r.ExitCode, r.Termination, r.Denials, r.Violations, nil, r.FilesSkipped,
		r.StdoutTruncated, r.StderrTruncated, r.Policy, r.PolicyDeny,
	}
}

func (r rest) result() *policy.Result {
	return &policy.Result{
		Status: r.Status, ExecutionID: r.ExecutionID, Metrics: policy.Metrics{StartMode: r.StartMode}, ExitCode: r.ExitCode, Termination: r.Termination,
		Denials: r.Denials, Violations: r.Violations, Files: r.Files, FilesSkipped: r.FilesSkipped, StdoutTruncated: r.StdoutTruncated,
		StderrTruncated: r.StderrTruncated, Policy: r.Policy, PolicyDeny: r.PolicyDeny,
	}
}

// integers and floats are the numbers of a result.
func integers(r *policy.Result) []*int64 {
	l, m := &r.LimitsApplied, &r.Metrics
	return []*int64{
		&l.TimeoutMS, &l.MaxMemoryMB, &l.MaxStdoutBytes, &l.MaxStderrBytes, &l.MaxOutputBytes, &l.MaxPids, &l.MaxDiskBytes, &l.MaxFiles,
		&l.MaxOpenFiles, &l.CPUPercent, &l.MaxDenials,
		&m.StdoutBytes, &m.StderrBytes, &m.PeakMemoryBytes, &m.Attempt,
	}
}

func floats(r *policy.Result) []*float64 {
	m := &r.Metrics
	return []*float64{
		&m.ExecutionTimeMS, &m.QueueTimeMS, &m.StartTimeMS, &m.TotalTimeMS, &m.CPUUserMS, &m.CPUSystemMS, &m.ThrottledMS,
	}
}
