package escape

import (
	"context"
	"fmt"
	"sync"
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
	// Passed is the fall of the import policy alone: under a restricted level a
	// technique reached the object that it is after, though the kernel then held.
	Passed Verdict = "POLICY PASSED"
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
	Reached  bool    `json:"reached"` // the technique had its object in hand, whatever came of using it
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
	// StartMode is how the jails are made; empty is policy.StartCold, never what is
	// fastest: jails that wait come and go, and would be taken for something left.
	StartMode string
	// Restricted says whether a level restricts what a probe's language may
	// import; nil means that none does.
	Restricted func(p Probe, level string) bool
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

	prepared *sync.Map     // requests whose template there is
	controls chan struct{} // if set, a place in it is needed to run a control
}

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
		row.Control, row.ControlMillis = control.text, policy.Millis(took)
		wrong := ""
		switch {
		case row.Verdict == Escaped, row.Verdict == Refused:
		case control.absent():
			row.Verdict, row.Evidence = NotAsked, "this kernel has not got the call: "+control.text
		case !control.Won:
			wrong = "the control did not win: "
		case p.asksPolicy() && !control.Reached:
			wrong = "the control won and never said that it reached anything: "
		}
		if wrong != "" {
			row.Verdict, row.Evidence = Broken, wrong+control.text
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
		row = Row{Probe: p, Policy: level, Verdict: Broken, Evidence: err.Error(), Millis: policy.Millis(took)}
	}
	b.trace("%s: jail, policy %s, after %.1f s: %s: %s", p.Name, level, took.Seconds(), row.Verdict, row.Evidence)
	return row, nil
}

func (b *Battery) jailed(ctx context.Context, p Probe, source, level string) (Row, error) {
	row := Row{Probe: p, Policy: level}
	if err := b.prepare(ctx, p, level); err != nil {
		return row, err
	}
	before, err := b.Watch()
	if err != nil {
		return row, err
	}
	arrived := b.Targets.arrivals.counted.Load()
	begin := time.Now()
	result, err := b.Executor.Execute(ctx, policy.Request{
		Language: string(p.Language), Profile: p.Profile, Privileged: true, Level: level, Ceiling: level, Code: source, Limits: b.limits(p),
		StartMode: b.startMode(),
	})
	row.Millis = policy.Millis(time.Since(begin))
	if err != nil {
		return row, err
	}
	row.Start = result.Metrics.StartMode
	if string(result.ResultJSON) == string(policy.NoResult) { // a Runner leaves it to its caller
		result.ResultJSON = policy.ResultJSON(result.Stdout, result.StdoutTruncated)
	}
	restricted := b.Restricted != nil && b.Restricted(p, level)
	row.Verdict, row.Evidence = decide(p, result, restricted)
	found, _ := findingIn(result.Stdout)
	row.Reached = found.Reached
	if wrong := malformed(result); wrong != "" {
		row.Verdict, row.Evidence = Escaped, wrong
	}
	left, err := b.leftovers(before)
	if err != nil {
		return row, err
	}
	// What the host sees counts for more than what the probe says.
	touched := b.Targets.touched()
	switch {
	case p.Innocent:
	case broughtBack(result, b.Targets.planted()) != "":
		row.Verdict, row.Evidence = Escaped, broughtBack(result, b.Targets.planted())
	case touched != "":
		row.Verdict, row.Evidence = Escaped, touched
	case b.Targets.arrivals.counted.Load() != arrived:
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
