package nsjail

import (
	"context"

	"safe-exec/policy"
)

// Check says what Execute would refuse the request for, without running it.
func (r *Runner) Check(req policy.Request) error {
	_, _, err := r.resolve(req)
	return err
}

// CheckProgram implements policy.Checker: the jail, its proof and the harness
// are those of a run, which ends where the first instruction of the program
// would be.
func (r *Runner) CheckProgram(ctx context.Context, req policy.Request) (*policy.CheckResult, error) {
	rt, spec, err := r.resolve(req)
	if err != nil {
		return nil, err
	}
	spec.CheckOnly = true
	result, imports, err := r.execute(ctx, rt, spec, req)
	if err != nil {
		return nil, err
	}
	policy.OrEmpty(&imports)
	return &policy.CheckResult{
		WouldRun: result.Status == policy.Succeeded, ExecutionID: result.ExecutionID,
		Imports: imports, Violations: result.Violations, Termination: result.Termination,
		LimitsApplied: result.LimitsApplied, Policy: result.Policy, PolicyDeny: result.PolicyDeny,
		Metrics: result.Metrics, Layers: result.Layers,
	}, nil
}
