package escape

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"safe-exec/policy"
)

// answers are the fields of a result that a probe may make a demand on, as text.
var answers = map[string]func(*policy.Result) string{
	"status":           func(r *policy.Result) string { return string(r.Status) },
	"exit_code":        exitCode,
	"signal":           func(r *policy.Result) string { return r.Termination.Signal },
	"claimed":          func(r *policy.Result) string { return strconv.FormatBool(r.Termination.Claimed) },
	"result_json":      func(r *policy.Result) string { return string(r.ResultJSON) },
	"stdout_truncated": func(r *policy.Result) string { return strconv.FormatBool(r.StdoutTruncated) },
	"stderr_truncated": func(r *policy.Result) string { return strconv.FormatBool(r.StderrTruncated) },
	"files":            func(r *policy.Result) string { return strconv.Itoa(len(r.Files)) },
	"files_skipped":    func(r *policy.Result) string { return strconv.Itoa(len(r.FilesSkipped)) },
}

func exitCode(r *policy.Result) string {
	if r.ExitCode == nil {
		return "null"
	}
	return strconv.Itoa(*r.ExitCode)
}

// demand is one field and what it must hold.
type demand struct{ field, want string }

// demands parses `field=value, field=value`.
func demands(text string) ([]demand, error) {
	var list []demand
	for part := range strings.SplitSeq(text, ", ") {
		field, want, ok := strings.Cut(part, "=")
		if !ok || answers[field] == nil {
			return nil, fmt.Errorf("expect: %q is no field=value of a result", part)
		}
		list = append(list, demand{field, want})
	}
	return list, nil
}

// unmet says which demand of the probe a result does not meet, "" if none.
func (p Probe) unmet(r *policy.Result) string {
	for _, d := range p.expect {
		if got := answers[d.field](r); got != d.want {
			return fmt.Sprintf("%s is %s instead of %s", d.field, got, d.want)
		}
	}
	if p.Within == 0 {
		return ""
	}
	// From handing over the code to the answer, teardown included.
	took := time.Duration((r.Metrics.TotalTimeMS - r.Metrics.QueueTimeMS - r.Metrics.StartTimeMS) * float64(time.Millisecond))
	if took > p.Within {
		return fmt.Sprintf("the answer took %v, more than %v", took.Round(time.Millisecond), p.Within)
	}
	return ""
}

// bounds are the reasons by which a limit or the kernel ended a run; under any
// other a program ends by itself, and must have got as far as its claim.
var bounds = []policy.Reason{
	policy.ReasonWallTimeout, policy.ReasonCPUTimeout, policy.ReasonMemoryLimit, policy.ReasonPidsLimit,
	policy.ReasonOutputLimit, policy.ReasonDiskLimit, policy.ReasonSyscallDenied,
}

// ownEnds are the reasons by which a program ends by itself.
var ownEnds = []policy.Reason{
	policy.ReasonCompleted, policy.ReasonException, policy.ReasonExitNonzero, policy.ReasonSignal,
	policy.ReasonImportDenied, policy.ReasonPolicyViolation,
}

// judgeAnswer is the verdict on a probe whose point is the answer about it: a
// limit that must be named, or a forgery that must not be believed.
func judgeAnswer(p Probe, r *policy.Result, reported bool, evidence string) (Verdict, string) {
	reason := r.Termination.Reason
	limit := slices.Contains(bounds, p.Verdict)
	if reason != p.Verdict {
		return Escaped, fmt.Sprintf("ended with %s instead of %s: %s", reason, p.Verdict, evidence)
	}
	if wrong := p.unmet(r); wrong != "" {
		return Escaped, fmt.Sprintf("%s, but %s", reason, wrong)
	}
	text := strings.TrimSuffix(fmt.Sprintf("%s: %s", reason, evidence), ": ")
	switch {
	case limit:
		return Killed, text
	case !reported:
		return Broken, "never got as far as its claim: " + text
	}
	return Held, "told as " + text
}

// malformed says why an answer could not be passed on as it is, "" if it can.
func malformed(r *policy.Result) string {
	switch _, err := json.Marshal(r); {
	case err != nil:
		return "the answer is not JSON: " + err.Error()
	case !utf8.ValidString(r.Stdout) || !utf8.ValidString(r.Stderr):
		return "the answer's text is not UTF-8"
	}
	return ""
}
