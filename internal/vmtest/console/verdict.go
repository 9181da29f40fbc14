package console

import (
	"fmt"
	"strings"
)

// Problems lists in sentences everything that keeps the run from being a
// success. It is empty only if each wanted command ran in order to exit status
// 0, passed at least one test, skipped none, left nothing behind, and the init
// said that it came to the end.
func (p *Parser) Problems(want []string) []string {
	problems := append([]string(nil), p.faults...)
	if p.started != len(want) {
		problems = append(problems, fmt.Sprintf("the machine knew %d commands, %d were wanted", p.started, len(want)))
	}
	for i, name := range want {
		if i >= len(p.results) {
			problems = append(problems, fmt.Sprintf("%s never began", name))
			continue
		}
		if got := p.results[i].Name; got != name {
			problems = append(problems, fmt.Sprintf("%s ran in the place of %s", got, name))
		}
	}
	if len(p.results) > len(want) {
		problems = append(problems, fmt.Sprintf("%d commands ran, %d were wanted", len(p.results), len(want)))
	}
	for _, r := range p.results {
		problems = append(problems, r.problems()...)
	}
	if !p.ended {
		problems = append(problems, "the final line is missing: the machine did not come to the end of its commands")
	}
	return problems
}

func (r *Result) problems() []string {
	var list []string
	add := func(format string, args ...any) {
		list = append(list, r.Name+": "+fmt.Sprintf(format, args...))
	}
	switch {
	case !r.Ended:
		add("no report of its end")
	case r.Timeout:
		add("killed at its time-out after %s", r.Took)
	case r.Exit == NotStarted:
		add("could not be started")
	case r.Exit < 0:
		add("ended by signal %d", -r.Exit)
	case r.Exit > 0:
		add("exit status %d", r.Exit)
	}
	if len(r.Failed) > 0 {
		add("%d failed: %s", len(r.Failed), strings.Join(r.Failed, ", "))
	}
	if len(r.Skipped) > 0 {
		add("%d skipped, which counts as failed here: %s", len(r.Skipped), strings.Join(r.Skipped, ", "))
	}
	if r.Ended && r.Exit == 0 && r.Passed == 0 {
		add("status 0, but no test passed")
	}
	if r.Left != (Left{}) {
		add("left behind %d processes, %d cgroups, %d mounts", r.Left.Procs, r.Left.Cgroups, r.Left.Mounts)
	}
	return list
}
