package main

import (
	"context"
	"fmt"
	"strings"

	"safe-exec/policy"
)

// printCheck says whether the program would run, in lines as a compiler's:
// FILE:LINE:COLUMN: MESSAGE, on stdout.
func (f *runFlags) printCheck(ctx context.Context, e engine, req policy.Request, std stdio) int {
	checked, err := e.CheckProgram(ctx, req)
	if err != nil {
		return explain(std, err)
	}
	status := checkStatus(checked)
	if f.asJSON {
		return printJSON(std, checked, status)
	}
	name := f.Arg(0)
	if name == "" || name == "-" {
		name = "stdin"
	}
	if checked.WouldRun {
		imports := "no imports"
		if len(checked.Imports) > 0 {
			imports = "imports " + oneLine(strings.Join(checked.Imports, ", "))
		}
		fmt.Fprintf(std.out, "%s: would run under policy %s; %s\n", name, checked.Policy, imports)
		return status
	}
	t := checked.Termination
	switch {
	case len(checked.Violations) > 0:
		for _, v := range checked.Violations {
			fmt.Fprintf(std.out, "%s:%d:%d: %s\n", name, v.Line, v.Column, oneLine(v.Message))
		}
	case t.Reason == policy.ReasonSyntaxError:
		fmt.Fprintf(std.out, "%s:%d:%d: %s\n", name, t.Line, t.Column, oneLine(t.Message))
	default:
		fmt.Fprintf(std.out, "%s: %s\n", name, t.Reason)
	}
	std.hint(hintOf(t))
	return status
}

// checkStatus is the exit status that a run would have at best.
func checkStatus(c *policy.CheckResult) int {
	switch {
	case c.WouldRun:
		return exitOK
	case c.Termination.Reason == policy.ReasonSyntaxError:
		return exitFailed
	}
	return exitLimited
}
