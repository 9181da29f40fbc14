package httpapi

import (
	"crypto/sha256"
	"mime"
	"net/http"
	"strings"

	"safe-exec/policy"
)

// maxBody bounds a request body in bytes. A program of policy.MaxCodeBytes, and
// its input of policy.MaxInputBytes, may be written in six bytes of JSON for each
// of their own (\u0000); the rest is room for the other fields. A body is read
// by who holds a slot, and room for it.
const maxBody = 6*(policy.MaxCodeBytes+policy.MaxInputBytes) + 256<<10

// readRequest reads and decodes one run request and says what its caller may
// ask for. The body must arrive within BodyTimeout. Once it has been read to its
// end, net/http takes the deadline off and watches for a caller that hangs up.
func (s *Server) readRequest(x *exchange) (req policy.Request, digest [32]byte, err error) {
	body, err := s.readBody(x)
	if err != nil {
		return req, digest, err
	}
	if req, err = decodeRequest(body); err != nil {
		return req, digest, err
	}
	x.asks(&req)
	for field, value := range map[string]string{"profile": req.Profile, "start_mode": req.StartMode} {
		if value != "" && !req.Privileged {
			return req, digest, &policy.Error{
				Code: policy.CodeForbidden, Field: field, Message: "only root may choose a " + strings.ReplaceAll(field, "_", " "),
			}
		}
	}
	return req, sha256.Sum256(body), nil
}

// checkMediaType accepts application/json, plain or with charset=utf-8, and no
// content coding: nothing here inflates what a caller packed.
func checkMediaType(h http.Header) error {
	refuse := func(message string) error {
		return &refusal{status: http.StatusUnsupportedMediaType, cause: &policy.Error{Code: policy.CodeInvalid, Message: message}}
	}
	if coding := h.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return refuse("the body must not be compressed")
	}
	values := h.Values("Content-Type")
	if len(values) != 1 {
		return refuse("send exactly one Content-Type header: application/json")
	}
	media, params, err := mime.ParseMediaType(values[0])
	if err != nil || media != "application/json" {
		return refuse("Content-Type must be application/json")
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return refuse("Content-Type may only carry charset=utf-8")
		}
	}
	return nil
}

// decodeRequest turns a body into a request whose fields have the right types
// and are there where they must be. Ceilings and the names of levels are the
// profile's business. It does not set Privileged.
func decodeRequest(body []byte) (policy.Request, error) {
	s, err := newScanner(body)
	if err != nil {
		return policy.Request{}, err
	}
	var req policy.Request
	given := map[string]bool{}
	note := func(read func(string) error) func(string) error {
		return func(path string) error {
			given[path] = true
			return read(path)
		}
	}
	err = s.object("", map[string]func(string) error{
		"language": note(s.text(&req.Language)),
		"code":     note(s.text(&req.Code)),
		"policy": s.textOr(
			func(path, value string) { given[path], req.Level = true, value },
			map[string]func(string) error{
				"level": note(s.text(&req.Level)),
				"deny":  s.texts(&req.Deny, policy.MaxDeny, maxEcho),
			}),
		"profile":    note(s.text(&req.Profile)),
		"start_mode": note(s.text(&req.StartMode)),
		"stdin":      s.text(&req.Input.Stdin),
		"args":       s.texts(&req.Input.Args, policy.MaxArgs, policy.MaxInputBytes),
		"env":        s.pairs(&req.Input.Env, policy.MaxEnv),
		"files":      s.files(&req.Input.Files),
		"collect": func(path string) error {
			req.Collect = []string{} // an empty list brings back nothing, a missing one everything
			return s.texts(&req.Collect, policy.MaxGlobs, policy.MaxPathBytes)(path)
		},
		"limits": func(path string) error {
			return s.object(path, map[string]func(string) error{
				"timeout_ms":       s.positive(&req.Limits.TimeoutMS),
				"max_memory_mb":    s.positive(&req.Limits.MaxMemoryMB),
				"max_stdout_bytes": s.positive(&req.Limits.MaxStdoutBytes),
				"max_stderr_bytes": s.positive(&req.Limits.MaxStderrBytes),
			})
		},
	})
	if err != nil {
		return policy.Request{}, err
	}
	if err := s.end(); err != nil {
		return policy.Request{}, err
	}
	return req, checkRequest(req, given)
}

func checkRequest(req policy.Request, given map[string]bool) error {
	for _, f := range []struct {
		name, value string
		required    bool
	}{
		{"language", req.Language, true},
		{"code", req.Code, true},
		{"policy", req.Level, false},
		{"policy.level", req.Level, false},
		{"profile", req.Profile, false},
		{"start_mode", req.StartMode, false},
	} {
		switch {
		case f.required && !given[f.name]:
			return policy.Invalid(f.name, "is missing")
		case given[f.name] && f.value == "":
			return policy.Invalid(f.name, "is empty")
		case f.name != "code" && given[f.name] && len(f.value) > maxEcho:
			return policy.Invalid(f.name, "is longer than any name there is")
		}
	}
	if _, ok := policy.ParseLanguage(req.Language); !ok {
		return policy.InvalidAt("language", "unknown language %q; there are python and javascript", req.Language).With(clip(req.Language))
	}
	switch req.StartMode {
	case "", policy.StartCold, policy.StartWarm, policy.StartFork:
	default:
		return policy.InvalidAt("start_mode", "unknown start_mode %q; there are cold, warm and fork", req.StartMode).With(clip(req.StartMode))
	}
	if len(req.Code) > policy.MaxCodeBytes {
		return tooLong("code", len(req.Code), policy.MaxCodeBytes)
	}
	// Here as well as by the Executor: what is over it goes no further than this process.
	return policy.CheckInputSize(req.Input, req.Collect)
}
