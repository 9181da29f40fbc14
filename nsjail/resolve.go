package nsjail

import (
	"safe-exec/policy"
	"safe-exec/profiles"
)

func (r *Runner) resolve(req policy.Request) (*runtime, policy.Spec, error) {
	rt, err := r.pick(req)
	if err != nil {
		return nil, policy.Spec{}, err
	}
	spec, err := policy.Resolve(req, rt.profile)
	return rt, spec, err
}

// pick chooses the profile by language, or by name where the caller may.
func (r *Runner) pick(req policy.Request) (*runtime, error) {
	language, ok := policy.ParseLanguage(req.Language)
	if !ok {
		return nil, policy.InvalidAt("language", "unknown language %q; there are python and javascript", req.Language)
	}
	switch req.StartMode {
	case "", policy.StartCold, policy.StartWarm, policy.StartFork:
	default:
		return nil, policy.InvalidAt("start_mode", "unknown start mode %q; there are cold, warm and fork", req.StartMode)
	}
	if req.StartMode != "" && !req.Privileged {
		return nil, &policy.Error{Code: policy.CodeForbidden, Field: "start_mode", Message: "only root may choose a start mode"}
	}
	name := req.Profile
	if name == "" {
		name = string(language)
	} else if !req.Privileged {
		return nil, &policy.Error{Code: policy.CodeForbidden, Field: "profile", Message: "only root may choose a profile"}
	}
	rt, ok := r.runtimes[name]
	if !ok || rt.profile.Language != language {
		why := ""
		if name == profiles.PythonFull {
			why = ": a daemon has it if its configuration says python_full: true"
		}
		return nil, policy.InvalidAt("profile", "there is no profile %q for %s%s", name, language, why)
	}
	return rt, nil
}
