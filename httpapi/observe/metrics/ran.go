package metrics

import (
	"math"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// Began counts nothing: what runs is a gauge of those who admit it.
func (m *Metrics) Began(*observe.Run) error { return nil }

// Ran counts a run.
func (m *Metrics) Ran(r observe.Run) {
	language := languages.of(r.Program.Language)
	status, code := observe.StatusOf(r)
	reason := policy.Reason(code) // of what got no verdict there is nothing else to say
	var cost policy.Metrics
	switch {
	case r.Result != nil:
		reason, cost = r.Result.Termination.Reason, r.Result.Metrics
		m.result(r.Result)
	case r.Check != nil:
		reason, cost = r.Check.Termination.Reason, r.Check.Metrics
	}
	if reason == "" {
		reason = none
	}
	start := cost.StartMode
	if start == "" {
		start = none
	}
	m.runs.WithLabelValues(kinds.of(string(r.Kind)), language, statuses.of(string(status)), reasons.of(string(reason)), starts.of(start)).Inc()
	m.jails.WithLabelValues(source(start, r.Program.StartAsked)).Inc()
	m.cpu.WithLabelValues(language).Add(seconds(cost.CPUUserMS) + seconds(cost.CPUSystemMS))
	for phase, ms := range map[string]float64{
		"queue": max(cost.QueueTimeMS, policy.Millis(r.Waited)), "start": cost.StartTimeMS, "execution": cost.ExecutionTimeMS,
		"total": max(cost.TotalTimeMS, policy.Millis(r.Total)),
	} {
		// What never started has no time for it, and would only pull the others down.
		if start != none || phase == "queue" || phase == "total" {
			m.seconds.WithLabelValues(phases.of(phase), language).Observe(seconds(ms))
		}
	}
}

func (m *Metrics) result(r *policy.Result) {
	for _, d := range r.Denials {
		m.denials.WithLabelValues(calls.of(d.Syscall)).Add(float64(max(d.Count, 0)))
	}
	if r.StdoutTruncated {
		m.truncated.WithLabelValues("stdout").Inc()
	}
	if r.StderrTruncated {
		m.truncated.WithLabelValues("stderr").Inc()
	}
	m.files.WithLabelValues("collected").Add(float64(len(r.Files)))
	m.files.WithLabelValues("skipped").Add(float64(len(r.FilesSkipped)))
}

func source(start string, chosen bool) string {
	switch {
	case chosen && start != none:
		return asked
	case start == policy.StartWarm:
		return spare
	case start == policy.StartFork:
		return template
	}
	return sources.of(start)
}

// seconds keeps a number that is none, or negative, out of a counter, which it would
// spoil for good.
func seconds(ms float64) float64 {
	if math.IsNaN(ms) || math.IsInf(ms, 0) || ms < 0 {
		return 0
	}
	return ms / 1000
}
