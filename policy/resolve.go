package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Resolve turns a request into the Spec that will be enforced, or says which
// field is wrong. It is pure, and no Spec it returns is above a ceiling of the
// profile.
func Resolve(req Request, p Profile) (Spec, error) {
	if err := checkCode(req.Code); err != nil {
		return Spec{}, err
	}
	name := req.Level
	if name == "" {
		name = p.Level
	}
	level, ok := p.Levels[name]
	if !ok {
		return Spec{}, Invalid("policy", "unknown policy %q; this profile has %s",
			name, strings.Join(p.LevelNames(), ", "))
	}
	limits := p.Fixed
	for _, f := range []struct {
		field string
		asked *int64
		r     LimitRange
		into  *int64
	}{
		{"limits.timeout_ms", req.Limits.TimeoutMS, p.Requestable.TimeoutMS, &limits.TimeoutMS},
		{"limits.max_memory_mb", req.Limits.MaxMemoryMB, p.Requestable.MaxMemoryMB, &limits.MaxMemoryMB},
		{"limits.max_stdout_bytes", req.Limits.MaxStdoutBytes, p.Requestable.MaxStdoutBytes, &limits.MaxStdoutBytes},
		{"limits.max_stderr_bytes", req.Limits.MaxStderrBytes, p.Requestable.MaxStderrBytes, &limits.MaxStderrBytes},
	} {
		v, err := f.r.pick(f.field, f.asked)
		if err != nil {
			return Spec{}, err
		}
		*f.into = v
	}
	return Spec{
		Profile: p.Name, Language: p.Language, Code: req.Code,
		LevelName: name, Level: level, Limits: limits,
	}, nil
}

func checkCode(code string) error {
	switch {
	case code == "":
		return Invalid("code", "code is missing or empty")
	case len(code) > MaxCodeBytes:
		limit := int64(MaxCodeBytes)
		return &Error{
			Code: CodeTooLarge, Field: "code", Value: len(code), Maximum: &limit,
			Message: fmt.Sprintf("code is %d bytes, the maximum is %d", len(code), limit),
		}
	case !utf8.ValidString(code):
		return Invalid("code", "code is not valid UTF-8")
	}
	return nil
}

func (r LimitRange) pick(field string, asked *int64) (int64, error) {
	if asked == nil {
		return r.Default, nil
	}
	v := *asked
	switch {
	case v < r.Min:
		return 0, &Error{
			Code: CodeInvalid, Field: field, Value: v,
			Message: fmt.Sprintf("%s is %d, the minimum is %d", field, v, r.Min),
		}
	case v > r.Max:
		limit := r.Max
		return 0, &Error{
			Code: CodeTooLarge, Field: field, Value: v, Maximum: &limit,
			Message: fmt.Sprintf("%s is %d, the maximum is %d", field, v, limit),
		}
	}
	return v, nil
}
