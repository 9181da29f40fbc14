package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"safe-exec/cgroup"
	"safe-exec/internal/broker"
	"safe-exec/internal/link"
	"safe-exec/nsjail/host"
	"safe-exec/nsjail/image"
	"safe-exec/policy"
)

// doctor says for every layer whether this host has it; exit status 0 means
// that serve would start.
func doctor(args []string, std stdio) int {
	fs := newFlags("doctor", "", "exit status: 0 when serve, with the same flags, would start, or would but for what is in use now;\n"+
		"1 when it would refuse; 2 when the configuration is wrong")
	asJSON := fs.Bool("json", false, "print the findings as JSON")
	load := whatToServe(fs)
	if status, done := fs.parse(args, 0, std); done {
		return status
	}
	conf, err := load()
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	all, err := conf.profiles()
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	var findings []finding
	for _, f := range host.Check(cgroup.Options{EnableControllers: conf.EnableControllers}) {
		findings = append(findings, finding{Finding: f})
	}
	for _, language := range policy.Languages() {
		findings = append(findings, finding{Finding: findInterpreter(all[string(language)])})
	}
	findings = append(findings, finding{Finding: findExecutor()}, finding{Finding: conf.findBroker()})
	tried := conf.tries()
	for _, one := range tried {
		findings = append(findings, one.finding())
	}
	missing := func(f finding) bool { return !f.OK }
	findings = append(findings, finding{Finding: conf.findSelfTest(all, slices.ContainsFunc(findings, missing))})
	good := !slices.ContainsFunc(findings, missing)
	if *asJSON {
		e := json.NewEncoder(std.out)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]any{"would_serve": good, "findings": findings}); err != nil {
			std.complain(err)
			return exitOurs
		}
	} else {
		printFindings(std, findings, good)
	}
	switch {
	case good:
		return exitOK
	case os.Geteuid() == 0 && firstMistake(tried) != nil: // nobody else would get so far
		return exitUsage
	}
	return exitFailed
}

// finding is a row of the answer. What is in use is in nobody's way once it is free.
type finding struct {
	host.Finding
	InUse bool `json:"in_use,omitempty"`
	// Warning is for what keeps nothing from starting, and may not be what is meant.
	Warning bool `json:"warning,omitempty"`
}

func (l look) finding() finding {
	f := finding{Finding: host.Finding{Layer: l.name, UsedFor: l.usedFor, OK: l.err == nil, Detail: l.found}}
	switch {
	case l.err == nil && l.warning:
		f.Warning, f.Remedy = true, l.remedy
		fallthrough
	case l.err == nil:
		return f
	}
	f.Detail = l.err.Error()
	var busy *busyError
	var used *broker.InUseError
	if f.InUse = errors.As(l.err, &busy); f.InUse && !(errors.As(l.err, &used) && used.Besides != nil) {
		f.OK = true
		return f
	}
	f.Remedy = l.remedy
	return f
}

// findExecutor says what the other process is to be: this one is as it would be.
func findExecutor() host.Finding {
	f := host.Finding{Layer: "executor", UsedFor: "the process that makes and ends jails: speaks no HTTP, has no database"}
	f.Detail = fmt.Sprintf("uid %d, effective capabilities %s", os.Geteuid(), effectiveCapabilities())
	if f.OK = os.Geteuid() == 0; !f.OK {
		f.Remedy = "start it as root"
	}
	return f
}

// findBroker starts one, looks at it and ends it, in a directory of its own.
func (c config) findBroker() host.Finding {
	f := host.Finding{Layer: "broker", UsedFor: "the process that talks to callers: no privilege, one directory, a filter of its own"}
	uid, gid, err := c.brokerUser()
	if err != nil {
		f.Detail, f.Remedy = "not tried, since broker_user is wrong", "mend that first"
		return f
	}
	abi, err := c.tryBroker()
	if err != nil {
		f.Detail, f.Remedy = err.Error(), "run this as root, on a kernel that has the layers above"
		return f
	}
	f.OK, f.Detail = true, fmt.Sprintf("uid %d, gid %d, no capabilities, one filter on all threads, Landlock ABI %d: started and proved", uid, gid, abi)
	return f
}

func (c config) tryBroker() (abi int, err error) {
	c, end, err := c.elsewhere()
	if err != nil {
		return 0, err
	}
	defer end()
	state, err := c.claim()
	if err != nil {
		return 0, err
	}
	defer state.Close()
	log := slog.New(slog.DiscardHandler)
	conf, err := c.brokerConfig(state.Dir, log)
	if err != nil {
		return 0, err
	}
	conf.Settings = []byte("{}")
	// It logs that its executor goes; what keeps it from starting comes by the link.
	if conf.Stderr, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
		return 0, err
	}
	defer conf.Stderr.Close()
	nobody := func(policy.Request) error { return &policy.Error{Code: policy.CodeUnavailable} }
	conf.Link = link.ServerConfig{
		Engine: nothing{}, Resolve: nobody, Authorize: func(*policy.Request) error { return nobody(policy.Request{}) },
		Describe: func() any { return nil }, Logger: log,
	}
	s, err := broker.New(conf)
	if err != nil {
		return 0, err
	}
	return s.Status().LandlockABI, s.Prove()
}

// nothing runs nothing.
type nothing struct{}

func (nothing) Execute(context.Context, policy.Request) (*policy.Result, error) {
	return nil, &policy.Error{Code: policy.CodeUnavailable}
}

func (nothing) CheckProgram(context.Context, policy.Request) (*policy.CheckResult, error) {
	return nil, &policy.Error{Code: policy.CodeUnavailable}
}

func findInterpreter(p policy.Profile) host.Finding {
	f := host.Finding{Layer: "interpreter: " + p.Name, UsedFor: "copied into the image that programs of this language see"}
	path, version, err := image.Find(context.Background(), p.Language, p.Interpreter)
	if err != nil {
		f.Detail, f.Remedy = err.Error(), "install it, or name it in the configuration: profiles."+p.Name+".interpreter"
		return f
	}
	f.OK, f.Detail = true, path+", "+version
	return f
}

func printFindings(std stdio, findings []finding, good bool) {
	var taken []string
	for _, f := range findings {
		mark := "ok     "
		if f.InUse {
			taken = append(taken, f.Layer)
		}
		switch {
		case f.OK && f.InUse:
			mark = "in use "
		case !f.OK:
			mark = "MISSING"
		case f.Warning:
			mark = "warning"
		case f.Remedy != "":
			mark = "slower "
		}
		fmt.Fprintf(std.out, "%s  %-24s %s\n", mark, f.Layer, f.Detail)
		fmt.Fprintf(std.out, "         %-24s for: %s\n", "", f.UsedFor)
		if f.Remedy != "" {
			fmt.Fprintf(std.out, "         %-24s do:  %s\n", "", f.Remedy)
		}
	}
	if good && taken != nil {
		fmt.Fprintf(std.out, "every layer is there: safe-exec serve would start once what is in use is free: %s\n", strings.Join(taken, ", "))
	} else if good {
		fmt.Fprintln(std.out, "every layer is there: safe-exec serve would start")
	} else {
		fmt.Fprintln(std.out, "safe-exec serve would refuse to start")
	}
	if os.Geteuid() != 0 {
		fmt.Fprintln(std.out, "only root can tell for certain: other rows may be missing for want of it alone")
	}
}
