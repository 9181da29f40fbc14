package escape

import (
	"fmt"
	"slices"
	"strings"

	"safe-exec/policy"
)

// decide is a pure function of the probe, its result, and whether an import
// policy was on.
func decide(p Probe, r *policy.Result, restricted bool) (Verdict, string) {
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
	case p.Verdict == "" && reported && f.Won:
		return Escaped, f.Proof
	case f.Reached && restricted && p.asksPolicy():
		return Passed, fmt.Sprintf("reached its object; then %s: %s", t.Reason, strings.Join(append([]string{f.Proof}, denials(r)...), "; "))
	case r.Status == policy.Rejected, refusals[t.Reason] && p.Verdict != t.Reason:
		return NotReached, firstViolation(r)
	case p.Verdict != "":
		return judgeAnswer(p, r, reported, strings.Join(append(denials(r), texts(t.Evidence)...), ", "))
	case reported:
		return Held, strings.TrimPrefix(strings.Join(append([]string{f.Proof}, denials(r)...), "; "), "; ")
	case t.Reason == policy.ReasonException || t.Reason == policy.ReasonExitNonzero || t.Reason == policy.ReasonSyntaxError || t.Reason == policy.ReasonCompleted:
		return Broken, fmt.Sprintf("no finding: %s: %s", t.Reason, lastLine(r.Stderr))
	}
	return Killed, fmt.Sprintf("%s: %s", t.Reason, evidence)
}

// refusals are the reasons by which the import policy ends a program while it
// runs.
var refusals = map[policy.Reason]bool{policy.ReasonImportDenied: true, policy.ReasonPolicyViolation: true}

// asksPolicy says whether the import policy is expected to stop the technique
// before it reaches its object.
func (p Probe) asksPolicy() bool {
	return (p.Family == "A" || p.Family == "B") && slices.Contains(p.Layers, "policy")
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
