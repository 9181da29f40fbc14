package nsjail

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"safe-exec/cgroup"
	"safe-exec/policy"
)

// Execute implements policy.Executor. The result's ResultJSON is null: to look for
// a value in what the program printed is for who has no privilege
// (policy.ResultJSON).
func (r *Runner) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	rt, spec, err := r.resolve(req)
	if err != nil {
		return nil, err
	}
	result, _, err := r.execute(ctx, rt, spec, req)
	return result, err
}

// execute also gives what the program imports, where spec asks for a check.
func (r *Runner) execute(ctx context.Context, rt *runtime, spec policy.Spec, req policy.Request) (*policy.Result, []string, error) {
	begin := time.Now()
	j, err := r.obtain(ctx, rt, spec, req)
	switch {
	case err != nil && ctx.Err() != nil:
		result, err := r.unstarted(spec, evidence{spec: spec, cancelled: true}, begin)
		return result, nil, err
	case errors.Is(err, errTooLittleMemory):
		result, err := r.unstarted(spec, evidence{spec: spec, usage: cgroup.Usage{OOMKills: 1, MemoryMaxEvents: 1, PeakMemoryBytes: spec.Limits.MaxMemoryMB << 20}}, begin)
		return result, nil, err
	case err != nil:
		return nil, nil, err
	}
	defer r.endings.end(j)
	started := time.Now()
	if !spec.CheckOnly {
		j.watch = newWatcher(req.Watch)
	}
	e, err := j.run(ctx)
	if !j.watch.end(hearTimeout) {
		r.log.Error("who watches a run blocks: some of its events are lost")
	}
	if err != nil {
		return nil, nil, err
	}
	v, err := judge(e)
	if err != nil {
		return nil, nil, err
	}
	for i := range v.violations {
		v.violations[i] = rt.profile.Explain(spec, v.violations[i])
	}
	result := r.result(spec, v)
	result.Stdout, result.StdoutTruncated = j.out.stdout.text()
	result.Stderr, result.StderrTruncated = j.out.stderr.text()
	result.Denials = j.denials()
	if leavesFiles(e, v) { // after the verdict, which nothing in them can change
		result.Files, result.FilesSkipped = j.bringBack(ctx)
	}
	result.Metrics = policy.Metrics{
		ExecutionTimeMS: policy.Millis(e.elapsed), StartTimeMS: policy.Millis(started.Sub(begin)), TotalTimeMS: policy.Millis(time.Since(begin)),
		StdoutBytes: j.out.stdout.total.Load(), StderrBytes: j.out.stderr.total.Load(),
		CPUUserMS: policy.Millis(e.usage.CPUUser), CPUSystemMS: policy.Millis(e.usage.CPUSystem), ThrottledMS: policy.Millis(e.usage.Throttled),
		PeakMemoryBytes: e.usage.PeakMemoryBytes, StartMode: j.mode, Attempt: 1,
	}
	return result, e.imports, nil
}

// unstarted is the result of a run that ended before it got the code.
func (r *Runner) unstarted(spec policy.Spec, e evidence, begin time.Time) (*policy.Result, error) {
	v, err := judge(e)
	if err != nil {
		return nil, err
	}
	result := r.result(spec, v)
	result.Metrics = policy.Metrics{StartTimeMS: policy.Millis(time.Since(begin)), TotalTimeMS: policy.Millis(time.Since(begin)), StartMode: policy.StartCold, Attempt: 1}
	return result, nil
}

func (r *Runner) result(spec policy.Spec, v verdict) *policy.Result {
	out := &policy.Result{
		Status: v.status, ExecutionID: "ex_" + rand.Text(), ResultJSON: policy.NoResult,
		ExitCode: v.exitCode, Termination: v.termination, Violations: v.violations,
		Denials: []policy.Denial{}, Files: []policy.File{}, FilesSkipped: []policy.SkippedFile{},
		LimitsApplied: spec.Limits, Policy: spec.LevelName, PolicyDeny: spec.Deny, Layers: r.layers,
	}
	policy.OrEmpty(&out.PolicyDeny)
	return out
}
