package escape

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"safe-exec/policy"
)

// Verdict is what one probe's run came to.
type Verdict string

const (
	Held       Verdict = "held"        // refused; the evidence says how
	Killed     Verdict = "killed"      // a limit or the filter ended it
	NotReached Verdict = "not reached" // the import policy refused it first
	Escaped    Verdict = "ESCAPED"
	Broken     Verdict = "broken"    // the probe proves nothing: its control did not win, or it failed
	NotAsked   Verdict = "not asked" // what is attacked has not what the probe needs; the evidence says what
	Works      Verdict = "works"     // an innocent that ran as it should
	Refused    Verdict = "REFUSED"   // an innocent that did not
)

// Good says whether a verdict is one to hope for.
func (v Verdict) Good() bool {
	return v == Held || v == Killed || v == NotReached || v == Works
}

// Bad says whether a verdict keeps the battery from having held. What was not
// asked does not, and is counted apart.
func (v Verdict) Bad() bool { return !v.Good() && v != NotAsked }

// Row is one probe under one policy.
type Row struct {
	Probe
	Policy   string  `json:"policy"` // level
	Start    string  `json:"start_mode"`
	Verdict  Verdict `json:"verdict"`
	Evidence string  `json:"evidence"`
	Control  string  `json:"control"` // how the control won, or did not
	Millis   float64 `json:"ms"`
	// ControlMillis is what the control took; it is run once for all levels.
	ControlMillis float64 `json:"control_ms"`
}

// Battery runs probes.
type Battery struct {
	Executor policy.Executor
	Naive    *Naive
	Targets  *Targets
	// Watch looks at the host before and after a probe: there must be no more of
	// anything.
	Watch func() (Host, error)
	// Levels are the import policies to run under, by name.
	Levels []string
	// Lacking says what keeps a probe from being asked under a policy, "" if
	// nothing. nil is a target that has all that probes need.
	Lacking func(p Probe, level string) string
	// Settle bounds the wait for what is given back after a run. Zero is
	// DefaultSettle.
	Settle time.Duration
	// Bound is the time of one control and of one jail; zero is DefaultBound.
	Bound time.Duration
	// Patience is the least time limit of a run that must not end by it: machines
	// differ in speed. Zero leaves each probe its own, or the default.
	Patience time.Duration
	// Trace, if set, hears when each control and each jail begins and ends. It is
	// called from many goroutines.
	Trace func(format string, args ...any)

	controls chan struct{} // if set, a place in it is needed to run a control
}

// finding is the line that a probe prints.
type finding struct {
	Won   bool   `json:"won"`
	Proof string `json:"proof"`
}

const marker = "PROBE "

// Run runs one probe's control and then the probe under every level. What goes
// wrong with one probe makes it broken; only the end of ctx is an error.
func (b *Battery) Run(ctx context.Context, p Probe) ([]Row, error) {
	rows, levels := b.askable(p)
	if len(levels) == 0 {
		return rows, nil
	}
	source := b.Targets.fill(p.source)
	begin := time.Now()
	control, err := b.control(ctx, p, source)
	if err != nil {
		return nil, fmt.Errorf("control of %s: %w", p.Name, err)
	}
	took := time.Since(begin)
	b.Targets.touched()
	for _, level := range levels {
		row, err := b.inJail(ctx, p, source, level)
		if err != nil {
			return nil, fmt.Errorf("%s, policy %s: %w", p.Name, level, err)
		}
		row.Control, row.ControlMillis = control.text, float64(took.Microseconds())/1000
		switch {
		case control.won || row.Verdict == Escaped || row.Verdict == Refused:
		case control.absent():
			row.Verdict, row.Evidence = NotAsked, "this kernel has not got the call: "+control.text
		default:
			row.Verdict, row.Evidence = Broken, "the control did not win: "+control.text
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// inJail is jailed within the bound. Only the end of ctx is an error.
func (b *Battery) inJail(ctx context.Context, p Probe, source, level string) (Row, error) {
	b.trace("%s: jail, policy %s, begins", p.Name, level)
	begin := time.Now()
	row, err := bounded(ctx, b.bound(), endTime, func(ctx context.Context) (Row, error) {
		return b.jailed(ctx, p, source, level)
	})
	took := time.Since(begin)
	switch {
	case ctx.Err() != nil:
		return row, context.Cause(ctx)
	case err != nil:
		row = Row{Probe: p, Policy: level, Verdict: Broken, Evidence: err.Error(), Millis: float64(took.Microseconds()) / 1000}
	}
	b.trace("%s: jail, policy %s, after %.1f s: %s: %s", p.Name, level, took.Seconds(), row.Verdict, row.Evidence)
	return row, nil
}

func (b *Battery) jailed(ctx context.Context, p Probe, source, level string) (Row, error) {
	row := Row{Probe: p, Policy: level}
	before, err := b.Watch()
	if err != nil {
		return row, err
	}
	arrived := b.Targets.arrived.Load()
	begin := time.Now()
	result, err := b.Executor.Execute(ctx, policy.Request{
		Language: string(p.Language), Profile: p.Profile, Privileged: true, Level: level, Code: source, Limits: b.limits(p),
	})
	row.Millis = float64(time.Since(begin).Microseconds()) / 1000
	if err != nil {
		return row, err
	}
	row.Start = result.Metrics.StartMode
	row.Verdict, row.Evidence = decide(p, result)
	if wrong := malformed(result); wrong != "" {
		row.Verdict, row.Evidence = Escaped, wrong
	}
	left, err := b.leftovers(before)
	if err != nil {
		return row, err
	}
	// What the host sees counts for more than what the probe says.
	switch {
	case p.Innocent:
	case b.Targets.touched():
		row.Verdict, row.Evidence = Escaped, "the planted file was changed"
	case b.Targets.arrived.Load() != arrived:
		row.Verdict, row.Evidence = Escaped, "a connection reached a planted listener"
	}
	if left != "" {
		row.Verdict, row.Evidence = Escaped, "left behind: "+left
	}
	return row, nil
}

func (b *Battery) limits(p Probe) policy.LimitsRequest {
	limits := p.Limits
	if least := b.Patience.Milliseconds(); p.Verdict != policy.ReasonWallTimeout && least > 0 {
		if limits.TimeoutMS != nil {
			least = max(least, *limits.TimeoutMS)
		}
		limits.TimeoutMS = &least
	}
	return limits
}

// decide is a pure function of the probe and its result.
func decide(p Probe, r *policy.Result) (Verdict, string) {
	f, reported := findingIn(r.Stdout)
	t := r.Termination
	if p.Innocent {
		if reported && f.Won && r.Status == policy.Succeeded {
			return Works, f.Proof
		}
		return Refused, fmt.Sprintf("%s: %s; %s", r.Status, t.Reason, lastLine(r.Stderr))
	}
	evidence := strings.Join(append(denials(r), texts(t.Evidence)...), ", ")
	switch {
	case r.Status == policy.Rejected, t.Reason == policy.ReasonImportDenied && p.Verdict != t.Reason:
		return NotReached, firstViolation(r)
	case p.Verdict != "":
		return judgeAnswer(p, r, reported, strings.Join(append(denials(r), texts(t.Evidence)...), ", "))
	case reported && f.Won:
		return Escaped, f.Proof
	case reported:
		return Held, strings.TrimPrefix(strings.Join(append([]string{f.Proof}, denials(r)...), "; "), "; ")
	case t.Reason == policy.ReasonException || t.Reason == policy.ReasonExitNonzero || t.Reason == policy.ReasonSyntaxError || t.Reason == policy.ReasonCompleted:
		return Broken, fmt.Sprintf("no finding: %s: %s", t.Reason, lastLine(r.Stderr))
	}
	return Killed, fmt.Sprintf("%s: %s", t.Reason, evidence)
}

// findingIn reads a program's finding. Of several, one that won counts: a probe
// tries more than one way.
func findingIn(stdout string) (found finding, reported bool) {
	for line := range strings.Lines(stdout) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), marker)
		if !ok {
			continue
		}
		var f finding
		if json.Unmarshal([]byte(text), &f) != nil {
			continue
		}
		if f.Won {
			return f, true
		}
		if !reported {
			found, reported = f, true
		}
	}
	return found, reported
}

func denials(r *policy.Result) []string {
	var list []string
	for _, d := range r.Denials {
		list = append(list, fmt.Sprintf("seccomp refused %s (%d)", d.Syscall, d.Count))
	}
	return list
}

func texts(evidence []policy.Evidence) []string {
	var list []string
	for _, e := range evidence {
		list = append(list, e.Source+" "+e.Name+"="+e.Value)
	}
	return list
}

func firstViolation(r *policy.Result) string {
	if len(r.Violations) == 0 {
		for line := range strings.Lines(r.Stderr) {
			if strings.Contains(line, "Error") { // Node says its version last
				return strings.TrimSpace(line)
			}
		}
		return lastLine(r.Stderr)
	}
	return r.Violations[0].Rule + " " + r.Violations[0].Name
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
