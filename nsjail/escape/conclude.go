package escape

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// conclusion is the end of a report for a terminal: whether everything held, and
// again what did not, apart from what proves nothing.
func (r *Report) conclusion() []string {
	fallen, nothing := r.naming(Verdict.fell), r.naming(func(v Verdict) bool { return v == Broken })
	if r.Host.Left != "" {
		fallen = append(fallen, "left behind: "+printable(r.Host.Left))
	}
	var lines []string
	switch {
	case len(fallen) > 0:
		lines = append(append(lines, "NOT EVERYTHING HELD: "+r.why()+" (exit status 1)"), fallen...)
	case len(nothing) > 0:
		lines = append(lines, "nothing was found open, but not everything is proved (exit status 1)")
	case !r.Held:
		return []string{"nothing was asked (exit status 1)"}
	default:
		return []string{"everything that was asked held"}
	}
	if len(nothing) > 0 {
		lines = append(append(lines, "and "+probesOf(r.Counts[Broken])+":"), nothing...)
	}
	return lines
}

// fell says whether a verdict is about what was attacked, and bad.
func (v Verdict) fell() bool { return v.Bad() && v != Broken }

func probesOf(runs int) string {
	if runs == 1 {
		return "1 run of a probe proves nothing"
	}
	return fmt.Sprintf("%d runs of probes prove nothing", runs)
}

// naming gives a line for each probe that has such verdicts, with its policies and
// what the first of them has for evidence.
func (r *Report) naming(such func(Verdict) bool) (lines []string) {
	type told struct {
		name, verdict, evidence string
		policies                []string
	}
	var all []told
	for _, row := range r.Rows {
		if !such(row.Verdict) {
			continue
		}
		i := slices.IndexFunc(all, func(t told) bool { return t.name == row.Name && t.verdict == string(row.Verdict) })
		if i < 0 {
			i = len(all)
			all = append(all, told{name: row.Name, verdict: string(row.Verdict), evidence: row.Evidence})
		}
		if !slices.Contains(all[i].policies, row.Policy) {
			all[i].policies = append(all[i].policies, row.Policy)
		}
	}
	for _, t := range all {
		lines = append(lines, fmt.Sprintf("  %s: %s (%s): %s", t.verdict, printable(t.name), printable(strings.Join(t.policies, ", ")), shorten(printable(t.evidence), mostEvidence)))
	}
	return lines
}

// mostEvidence is how much of it a line for a terminal has, in characters.
const mostEvidence = 90

// printable shows what is not one: a program chose part of it, and it goes to a
// terminal, in columns.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
