package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Resolve turns a request into the Spec that will be enforced, or says which
// field is wrong. It is pure, and no Spec it returns is above a ceiling of the
// profile or of the caller.
func Resolve(req Request, p Profile) (Spec, error) {
	if err := checkCode(req.Code); err != nil {
		return Spec{}, err
	}
	name, level, deny, err := resolveLevel(req, p)
	if err != nil {
		return Spec{}, err
	}
	limits := p.Fixed
	for _, f := range []struct {
		field   string
		asked   *int64
		r       LimitRange
		ceiling *int64
		into    *int64
	}{
		{"limits.timeout_ms", req.Limits.TimeoutMS, p.Requestable.TimeoutMS, req.CeilingLimits.TimeoutMS, &limits.TimeoutMS},
		{"limits.max_memory_mb", req.Limits.MaxMemoryMB, p.Requestable.MaxMemoryMB, req.CeilingLimits.MaxMemoryMB, &limits.MaxMemoryMB},
		{"limits.max_stdout_bytes", req.Limits.MaxStdoutBytes, p.Requestable.MaxStdoutBytes, req.CeilingLimits.MaxStdoutBytes, &limits.MaxStdoutBytes},
		{"limits.max_stderr_bytes", req.Limits.MaxStderrBytes, p.Requestable.MaxStderrBytes, req.CeilingLimits.MaxStderrBytes, &limits.MaxStderrBytes},
	} {
		r, err := f.r.below(f.field, f.ceiling)
		if err != nil {
			return Spec{}, err
		}
		v, err := r.pick(f.field, f.asked)
		if err != nil {
			return Spec{}, err
		}
		*f.into = v
	}
	if err := CheckInput(req.Input, req.Collect, limits); err != nil {
		return Spec{}, err
	}
	return Spec{
		Profile: p.Name, Language: p.Language, Code: req.Code,
		LevelName: name, Level: level, Deny: deny, Limits: limits, Ranges: p.Requestable.Below(req.CeilingLimits), Ceiling: req.Ceiling, Input: req.Input, Collect: req.Collect,
	}, nil
}

// resolveLevel never gives a level wider than the caller's ceiling, which a
// narrower one cannot get wider than either.
func resolveLevel(req Request, p Profile) (name string, level Level, deny []string, err error) {
	ceiling, widest, err := p.ceiling(req.Ceiling)
	if err != nil {
		return "", level, nil, err
	}
	if name = req.Level; name == "" {
		if name, err = p.DefaultWithin(req.Ceiling); err != nil {
			return "", level, nil, err
		}
	}
	level, ok := p.Levels[name]
	if !ok {
		return "", level, nil, InvalidAt("policy", "unknown policy %q; this profile has %s", name, strings.Join(p.LevelsWithin(req.Ceiling), ", ")).With(name)
	}
	if !level.Within(widest) {
		return "", level, nil, Blame(CodeForbidden, "policy", "%q allows more than %q, the widest that this caller may ask for", name, ceiling).With(name)
	}
	level, deny, err = narrow(level, name, req.Deny, p)
	return name, level, deny, err
}

// narrow takes the denied modules out of a level. A module that no level of the
// profile lists is taken for a slip of the pen: whoever denies it believes
// something of the level that is not so. One that is refused anyway passes, so
// that the same request works on a wider level and on a narrower one.
func narrow(level Level, name string, modules []string, p Profile) (Level, []string, error) {
	if len(modules) == 0 {
		return level, nil, nil
	}
	if level.Unrestricted {
		return level, nil, InvalidAt("policy.deny", "policy %q has no list of imports to deny from; choose a level that has one", name)
	}
	if len(modules) > MaxDeny {
		return level, nil, TooLarge("policy.deny", len(modules), MaxDeny, "has %d names, the maximum is %d")
	}
	var deny []string
	for i, module := range modules {
		field := fmt.Sprintf("policy.deny[%d]", i)
		if p.Language == JavaScript {
			module = strings.TrimPrefix(module, "node:")
		}
		if len(module) > MaxModuleBytes || !ValidModule(p.Language, module) {
			return level, nil, Invalid(field, "is not the name of a module, of %d bytes at most", MaxModuleBytes)
		}
		known := false
		for _, l := range p.Levels {
			known = known || l.knows(p.Language, module)
		}
		if !known {
			return level, nil, Invalid(field, ": no policy of profile %s lists a module %q", p.Name, module).With(module)
		}
		if slices.Contains(deny, module) {
			continue
		}
		deny = append(deny, module)
		level = level.deny(p.Language, module)
	}
	return level, deny, nil
}

func checkCode(code string) error {
	switch {
	case code == "":
		return Invalid("code", "is missing or empty")
	case len(code) > MaxCodeBytes:
		return TooLarge("code", len(code), MaxCodeBytes, "is %d bytes, the maximum is %d")
	case !utf8.ValidString(code):
		return Invalid("code", "is not valid UTF-8")
	}
	return nil
}

// below lowers the range to a caller's ceiling, its default too. A caller whose
// ceiling is under the minimum can run nothing with this profile.
func (r LimitRange) below(field string, ceiling *int64) (LimitRange, error) {
	if ceiling == nil {
		return r, nil
	}
	most := *ceiling
	if most < r.Min {
		e := Blame(CodeForbidden, field, "of this caller is at most %d, and this profile needs %d", most, r.Min)
		e.Maximum, e.Minimum = &most, &r.Min
		return r, e
	}
	r.Max = min(r.Max, most)
	r.Default = min(r.Default, r.Max)
	return r, nil
}

// Below gives the ranges as a caller with these ceilings has them. A ceiling
// under a minimum leaves that range as it is: Resolve refuses every request.
func (r LimitRanges) Below(ceilings LimitsRequest) LimitRanges {
	for _, f := range []struct {
		into    *LimitRange
		ceiling *int64
	}{
		{&r.TimeoutMS, ceilings.TimeoutMS},
		{&r.MaxMemoryMB, ceilings.MaxMemoryMB},
		{&r.MaxStdoutBytes, ceilings.MaxStdoutBytes},
		{&r.MaxStderrBytes, ceilings.MaxStderrBytes},
	} {
		*f.into, _ = f.into.below("", f.ceiling)
	}
	return r
}

func (r LimitRange) pick(field string, asked *int64) (int64, error) {
	if asked == nil {
		return r.Default, nil
	}
	v := *asked
	switch {
	case v < r.Min:
		return 0, TooSmall(field, v, r.Min)
	case v > r.Max:
		return 0, TooLarge(field, v, r.Max, "is %d, the maximum is %d")
	}
	return v, nil
}
