package wiring

import (
	"slices"

	"safe-exec/nsjail"
	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

// native makes what a Runner needs for a program in place of an interpreter.
func (c Config) native() (*nsjail.Native, error) {
	if c.Native == nil {
		return nil, nil
	}
	n := &nsjail.Native{Profile: c.NativeProfile, Program: c.Native}
	for phase, program := range map[seccomp.Phase]*seccomp.Program{
		seccomp.Startup: &n.Filters.Startup, seccomp.Steady: &n.Filters.Steady,
	} {
		p, err := NativePolicy(string(c.NativeProfile.Language), phase)
		if err != nil {
			return nil, err
		}
		if *program, err = compile.Compile(p); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// NativePolicy is one phase of a language's list, and what a native program
// needs beside it.
func NativePolicy(language string, phase seccomp.Phase) (seccomp.Policy, error) {
	p, err := parseList(language, phase)
	if err != nil {
		return p, err
	}
	more, err := parseList("native", seccomp.Steady)
	if err != nil {
		return p, err
	}
	p.Name += "+native"
	listed := p.Rules
	for _, rule := range more.Rules {
		// A rule beside one that allows the call whatever its arguments would be idle.
		if !slices.ContainsFunc(listed, func(r seccomp.Rule) bool { return r.Syscall == rule.Syscall && len(r.Args) == 0 }) {
			p.Rules = append(p.Rules, rule)
		}
	}
	return p, nil
}
