package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"safe-exec/policy"
)

// maxBody bounds a request body in bytes. A program of policy.MaxCodeBytes may
// be written in six bytes of JSON for each of its own (\u0000); the rest is
// room for the other fields.
const maxBody = 6*policy.MaxCodeBytes + 64<<10

// readRequest reads and decodes one run request and says what its caller may
// ask for. The body must arrive within BodyTimeout. Once it has been read to its end, net/http takes the deadline off
// and watches for a caller that hangs up.
func (s *Server) readRequest(x *exchange) (policy.Request, error) {
	w, r := x.w, x.r
	if err := checkMediaType(r.Header); err != nil {
		return policy.Request{}, err
	}
	tooLarge := func() error {
		limit := int64(maxBody)
		return &refusal{status: http.StatusRequestEntityTooLarge, cause: &policy.Error{
			Code: policy.CodeTooLarge, Message: "the body is too large", Maximum: &limit,
		}}
	}
	if r.ContentLength > maxBody {
		return policy.Request{}, tooLarge()
	}
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.cfg.BodyTimeout)); err != nil {
		return policy.Request{}, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return policy.Request{}, tooLarge()
	case err != nil:
		e := malformed("", "the body ended before its announced length, or took too long")
		e.cause.Err = err
		return policy.Request{}, e
	}
	req, err := decodeRequest(body)
	if err != nil {
		return policy.Request{}, err
	}
	x.asks(&req)
	for field, value := range map[string]string{"profile": req.Profile, "start_mode": req.StartMode} {
		if value != "" && !req.Privileged {
			return policy.Request{}, &policy.Error{
				Code: policy.CodeForbidden, Field: field, Message: "only root may choose a " + strings.ReplaceAll(field, "_", " "),
			}
		}
	}
	return req, nil
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
				"deny":  s.texts(&req.Deny, policy.MaxDeny),
			}),
		"profile":    note(s.text(&req.Profile)),
		"start_mode": note(s.text(&req.StartMode)),
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
			return policy.Invalid(f.name, "%s is missing", f.name)
		case given[f.name] && f.value == "":
			return policy.Invalid(f.name, "%s is empty", f.name)
		case f.name != "code" && given[f.name] && len(f.value) > maxEcho:
			return policy.Invalid(f.name, "%s is longer than any name there is", f.name)
		}
	}
	if _, ok := policy.ParseLanguage(req.Language); !ok {
		e := policy.Invalid("language", "unknown language %q; there are python and javascript", req.Language)
		e.Value = req.Language
		return e
	}
	switch req.StartMode {
	case "", policy.StartCold, policy.StartWarm, policy.StartFork:
	default:
		return policy.Invalid("start_mode", "unknown start_mode %q; there are cold, warm and fork", req.StartMode)
	}
	if len(req.Code) > policy.MaxCodeBytes {
		limit := int64(policy.MaxCodeBytes)
		return &policy.Error{
			Code: policy.CodeTooLarge, Field: "code", Value: len(req.Code), Maximum: &limit,
			Message: "code has more bytes than the maximum",
		}
	}
	return nil
}
