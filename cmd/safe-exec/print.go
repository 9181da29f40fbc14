package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"safe-exec/httpapi/client"
	"safe-exec/policy"
)

// explain prints an error of ours, or a mistake in what was asked for.
func explain(std stdio, err error) int {
	var e *policy.Error
	if errors.As(err, &e) {
		switch e.Code {
		case policy.CodeInvalid, policy.CodeTooLarge, policy.CodeForbidden, policy.CodeConflict:
			std.complain(errors.New(inFlags(e)))
			if errors.Is(err, client.ErrToken) {
				std.hint(tokenHint())
			}
			return exitUsage
		case policy.CodeNotFound:
			std.complain(errors.New(e.Message))
			return exitFailed
		case policy.CodeBusy:
			std.complain(errors.New(e.Message))
			if after, ok := client.RetryAfter(err); ok {
				std.hint("try again in " + policy.Short(after))
			}
			return exitOurs
		case policy.CodeUnavailable:
			if err == error(e) { //nolint:errorlint // around a wrapped one somebody has said more
				std.complain(unavailable(e))
				return exitOurs
			}
		case policy.CodeSetup, policy.CodeInternal: // in full, below
		}
	}
	std.complain(err)
	var wrong *usageError
	if errors.As(err, &wrong) {
		return exitUsage
	}
	var lacking *lackingError
	if errors.As(err, &lacking) {
		std.hint("safe-exec doctor says what this host lacks")
	}
	return exitOurs
}

// unavailable leaves out the code, which is for machines.
func unavailable(e *policy.Error) error {
	if e.Err == nil || client.HungUp(e) { // of which EOF says no more
		return errors.New(e.Message)
	}
	if errors.Is(e, context.DeadlineExceeded) {
		return errors.New(e.Message + ": it took too long")
	}
	return fmt.Errorf("%s: %w", e.Message, e.Err)
}

// tokenHint says which of the two it is that the daemon did not know.
func tokenHint() string {
	if os.Getenv(tokenVariable) == "" {
		return "$" + tokenVariable + " is not set; whoever runs the daemon makes a token with safe-exec token new"
	}
	return "the daemon does not know the token in $" + tokenVariable
}

// printJSON prints v and gives status, unless it cannot be printed.
func printJSON(std stdio, v any, status int) int {
	e := json.NewEncoder(std.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		std.complain(err)
		return exitOurs
	}
	return status
}

// printResult gives the program's output on the stream it was written to, and
// ours on stderr.
func printResult(std stdio, result *policy.Result) int {
	if _, err := io.WriteString(std.out, result.Stdout); err != nil {
		std.complain(err)
		return exitOurs
	}
	fmt.Fprint(std.err, result.Stderr)
	return printVerdict(std, result, result.Stderr != "" && !strings.HasSuffix(result.Stderr, "\n"))
}

// printVerdict says how a program ended whose output has been printed; midLine
// says that its stderr did not end with a line's end.
func printVerdict(std stdio, result *policy.Result, midLine bool) int {
	quiet := result.Status == policy.Succeeded && !result.StdoutTruncated
	if !quiet && midLine {
		fmt.Fprintln(std.err) // what we say begins on a line of its own
	}
	if result.StdoutTruncated {
		fmt.Fprintf(std.err, "safe-exec: stdout: %d bytes were written, more than the %d that are kept\n",
			result.Metrics.StdoutBytes, result.LimitsApplied.MaxStdoutBytes)
	}
	if result.Status == policy.Succeeded {
		return exitOK
	}
	t := result.Termination
	how := string(result.Status)
	if how != string(t.Reason) {
		how += ": " + string(t.Reason)
	}
	fmt.Fprintf(std.err, "safe-exec: %s\n", how)
	if t.Message != "" {
		fmt.Fprintf(std.err, "  line %d, column %d: %s\n", t.Line, t.Column, oneLine(t.Message))
	}
	for _, v := range result.Violations {
		fmt.Fprintf(std.err, "  line %d, column %d: %s: %s\n", v.Line, v.Column, v.Rule, oneLine(v.Message))
	}
	for _, d := range result.Denials {
		fmt.Fprintf(std.err, "  system call refused: %s (%d)\n", d.Syscall, d.Count)
	}
	hint := hintOf(t)
	if t.Message != "" {
		hint = "Nothing ran." // why is on the line above
	}
	std.hint(hint)
	return exitStatus(result)
}

// oneLine shows control characters in words that quote a program: it could
// write lines of ours with them, or to the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// exitStatus tells the program's own failure from what a limit or the policy
// did to it.
func exitStatus(result *policy.Result) int {
	switch result.Status {
	case policy.Succeeded:
		return exitOK
	case policy.TimedOut, policy.Rejected, policy.Cancelled:
		return exitLimited
	case policy.Failed:
		switch result.Termination.Reason {
		case policy.ReasonException, policy.ReasonExitNonzero, policy.ReasonSignal, policy.ReasonSyntaxError:
			return exitFailed
		default: // a limit, or the policy
			return exitLimited
		}
	case policy.Errored, policy.Queued, policy.Running: // our failure, or no end yet
	}
	return exitOurs
}
