package observe

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"safe-exec/policy"
)

// Executor runs programs, and tells an Observer of each.
type Executor struct {
	// Next runs them.
	Next policy.Executor
	// Checker answers checks; nil where nothing asks for one.
	Checker policy.Checker
	// Tell hears of each run before anything of it starts, and of its end before its
	// caller does.
	Tell Observer
	// Origin says where a run comes from; nil for From.
	Origin func(context.Context) Origin
	// Digests say under which rules a program runs with this profile at this level,
	// empty for a profile that there is not; nil where nobody knows. See the function
	// of that name.
	Digests func(profile, level string) (profileDigest, policyDigest string)
}

// Execute runs the program, unless the Observer refuses it. A panic of what runs it is
// told as an error, and goes on.
func (e Executor) Execute(ctx context.Context, req policy.Request) (result *policy.Result, err error) {
	run, end, err := e.begin(ctx, req, "")
	if err != nil {
		return nil, err
	}
	defer end()
	result, err = e.Next.Execute(ctx, req)
	run.Result, run.Err = result, err
	return result, err
}

// CheckProgram checks it, likewise.
func (e Executor) CheckProgram(ctx context.Context, req policy.Request) (checked *policy.CheckResult, err error) {
	run, end, err := e.begin(ctx, req, Check)
	if err != nil {
		return nil, err
	}
	defer end()
	checked, err = e.Checker.CheckProgram(ctx, req)
	run.Check, run.Err = checked, err
	return checked, err
}

// begin tells that the run begins; a kind goes before that of its origin.
func (e Executor) begin(ctx context.Context, req policy.Request, kind Kind) (run *Run, end func(), err error) {
	origin := From
	if e.Origin != nil {
		origin = e.Origin
	}
	run = &Run{Origin: origin(ctx), Caller: req.Caller, Program: ProgramOf(req)}
	run.Kind = cmp.Or(kind, run.Kind)
	began := time.Now()
	if err := e.Tell.Began(run); err != nil {
		return nil, nil, err
	}
	return run, func() {
		crash := recover()
		if crash != nil {
			run.Err = fmt.Errorf("panic: %v", crash)
		}
		run.Finished, run.Total = time.Now().UTC(), time.Since(began)+run.Waited
		if e.Digests != nil {
			run.rules(cmp.Or(req.Profile, run.Program.Language), e.Digests)
		}
		e.Tell.Ran(*run)
		if crash != nil {
			panic(crash)
		}
	}, nil
}

// rules says under which rules the program ran. A language's own profile has its
// name.
func (r *Run) rules(profile string, digests func(profile, level string) (string, string)) {
	if r.ProfileDigest, r.PolicyDigest = digests(profile, r.level()); r.ProfileDigest != "" {
		r.Profile = profile
	}
}

// level is the one that was applied; empty where nothing was.
func (r *Run) level() string {
	switch {
	case r.Result != nil:
		return r.Result.Policy
	case r.Check != nil:
		return r.Check.Policy
	}
	return ""
}
