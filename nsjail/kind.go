package nsjail

import (
	"strings"

	"safe-exec/policy"
)

// kind is all that is settled when a jail starts, before its job is known: a
// jail can stand in for any other of its kind.
type kind struct {
	profile string
	level   string
	deny    string // the denied modules
	limits  policy.Limits
	caller  string // whose template it is forked by; empty for jails of their own start
}

// kindOf leaves out what counts from the job on.
func kindOf(s policy.Spec, caller string) kind {
	l := s.Limits
	l.TimeoutMS, l.MaxStdoutBytes, l.MaxStderrBytes = 0, 0, 0
	return kind{profile: s.Profile, level: s.LevelName, deny: strings.Join(s.Deny, "\n"), limits: l, caller: caller}
}

// unasked is the spec of a jail for a run to come.
func unasked(s policy.Spec) policy.Spec {
	s.Code, s.CheckOnly, s.Ceiling = "", false, ""
	s.Input, s.Collect = policy.Input{}, nil
	return s
}
