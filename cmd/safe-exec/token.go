package main

import (
	"errors"
	"fmt"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

// token makes bearer tokens for callers over TCP. It writes no file: the line goes
// where the operator puts it.
func token(args []string, std stdio) int {
	rest := args
	if len(args) > 0 && args[0] == "new" {
		rest = args[1:]
	}
	fs := newFlags("token", "new NAME", "new prints a token, for the caller, and its line for tcp.tokens_file, which has its hash alone.\nexit status: 0 done, 2 wrong usage, 125 it could not be printed")
	if status, done := fs.parse(rest, 1, std); done {
		return status
	}
	fail := func(err error) int {
		std.complain(err)
		std.hint("safe-exec token --help says more")
		return exitUsage
	}
	switch {
	case len(rest) == len(args):
		return fail(errors.New("token: want new NAME"))
	case !policy.ValidTokenName(fs.Arg(0)):
		return fail(fmt.Errorf("token new: the name must be 1 to %d of A-Z a-z 0-9 . _ -", policy.MaxTokenName))
	}
	secret, t := httpapi.NewToken(fs.Arg(0))
	if _, err := fmt.Fprintf(std.out, "token for the caller, which is kept nowhere:\n%s\nline for tcp.tokens_file:\n%s\n", secret, t.Line()); err != nil {
		std.complain(err)
		return exitOurs
	}
	return exitOK
}
