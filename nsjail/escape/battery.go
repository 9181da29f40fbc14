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
	Broken     Verdict = "broken"  // the probe proves nothing: its control did not win, or it failed
	Works      Verdict = "works"   // an innocent that ran as it should
	Refused    Verdict = "REFUSED" // an innocent that did not
)

// Good says whether a verdict is one to hope for.
func (v Verdict) Good() bool {
	return v == Held || v == Killed || v == NotReached || v == Works
}

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

	controls chan struct{} // if set, a place in it is needed to run a control
}

// finding is the line that a probe prints.
type finding struct {
	Won   bool   `json:"won"`
	Proof string `json:"proof"`
}

const marker = "PROBE "

// Run runs one probe's control and then the probe under every level.
func (b *Battery) Run(ctx context.Context, p Probe) ([]Row, error) {
	source := b.Targets.fill(p.source)
	begin := time.Now()
	control, err := b.control(ctx, p, source)
	took := time.Since(begin)
	if err != nil {
		return nil, fmt.Errorf("control of %s: %w", p.Name, err)
	}
	b.Targets.touched()
	var rows []Row
	for _, level := range b.Levels {
		if p.Profile != "" && level != "relaxed" {
			continue // a profile of its own is for native calls, with no policy before them
		}
		if p.Level != "" && p.Level != level {
			continue // it needs what the other levels do not give, or what this one does
		}
		row, err := b.jailed(ctx, p, source, level)
		if err != nil {
			return nil, fmt.Errorf("%s, policy %s: %w", p.Name, level, err)
		}
		row.Control, row.ControlMillis = control.text, float64(took.Microseconds())/1000
		if !control.won && row.Verdict != Escaped && row.Verdict != Refused {
			row.Verdict, row.Evidence = Broken, "the control did not win: "+control.text
		}
		rows = append(rows, row)
	}
	return rows, nil
}

type controlled struct {
	won  bool
	text string
}

// control wants the probe to win where nothing stops it.
func (b *Battery) control(ctx context.Context, p Probe, source string) (controlled, error) {
	if b.controls != nil {
		b.controls <- struct{}{}
		defer func() { <-b.controls }()
	}
	o, err := b.Naive.run(ctx, p.Language, b.Targets, source)
	if err != nil {
		return controlled{}, err
	}
	f, ok := findingIn(o.stdout)
	switch {
	case ok:
		return controlled{f.Won, f.Proof}, nil
	case o.timedOut:
		return controlled{false, "ran into the time limit"}, nil
	case o.signal != 0:
		return controlled{false, "ended by " + o.signal.String()}, nil
	}
	return controlled{false, "said nothing: " + lastLine(o.stderr)}, nil
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
		Language: string(p.Language), Profile: p.Profile, Privileged: true, Level: level, Code: source, Limits: p.Limits,
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

// settle bounds the wait for what the kernel frees on its own time, keys for
// one.
const settle = 3 * time.Second

func (b *Battery) leftovers(before Host) (string, error) {
	for deadline := time.Now().Add(settle); ; time.Sleep(2 * time.Millisecond) {
		now, err := b.Watch()
		if err != nil {
			return "", err
		}
		if left := now.more(before); left == "" || time.Now().After(deadline) {
			return left, nil
		}
	}
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
