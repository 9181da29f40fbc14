package client

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"safe-exec/policy"
)

type limits struct {
	TimeoutMS      *int64 `json:"timeout_ms,omitempty"`
	MaxMemoryMB    *int64 `json:"max_memory_mb,omitempty"`
	MaxStdoutBytes *int64 `json:"max_stdout_bytes,omitempty"`
	MaxStderrBytes *int64 `json:"max_stderr_bytes,omitempty"`
}

type request struct {
	Language string `json:"language"`
	Code     string `json:"code"`
	Policy   any    `json:"policy,omitempty"` // a name, or narrowed
	Profile  string `json:"profile,omitempty"`
	Start    string `json:"start_mode,omitempty"`
	Limits   limits `json:"limits"`

	Stdin   string            `json:"stdin,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Files   []file            `json:"files,omitempty"`
	Collect *[]string         `json:"collect,omitempty"` // none is not the same as no word about it
}

type file struct {
	Path    string `json:"path"`
	Content []byte `json:"content_base64"`
}

// narrowed is a policy with less in it.
type narrowed struct {
	Level string   `json:"level,omitempty"`
	Deny  []string `json:"deny"`
}

// encode refuses what encoding/json would silently replace.
func encode(req policy.Request) ([]byte, error) {
	r := request{
		Language: req.Language, Code: req.Code, Profile: req.Profile, Start: req.StartMode, Limits: limits(req.Limits),
		Stdin: req.Input.Stdin, Args: req.Input.Args, Env: req.Input.Env,
	}
	for _, f := range req.Input.Files {
		r.Files = append(r.Files, file{f.Path, append([]byte{}, f.Content...)}) // nil would be null
	}
	if req.Collect != nil {
		r.Collect = &req.Collect
	}
	switch {
	case len(req.Deny) > 0:
		r.Policy = narrowed{req.Level, req.Deny}
	case req.Level != "":
		r.Policy = req.Level
	}
	if field := notText(req); field != "" {
		return nil, policy.Invalid(field, "is not valid UTF-8")
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("encode request: %w", err)}
	}
	return body, nil
}

// notText names the first field that is not UTF-8.
func notText(req policy.Request) string {
	if !utf8.ValidString(req.Code) {
		return "code"
	}
	if !utf8.ValidString(req.Input.Stdin) {
		return "stdin"
	}
	for i, text := range req.Input.Args {
		if !utf8.ValidString(text) {
			return fmt.Sprintf("args[%d]", i)
		}
	}
	for name, value := range req.Input.Env {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return "env"
		}
	}
	for i, f := range req.Input.Files {
		if !utf8.ValidString(f.Path) {
			return fmt.Sprintf("files[%d].path", i)
		}
	}
	for i, glob := range req.Collect {
		if !utf8.ValidString(glob) {
			return fmt.Sprintf("collect[%d]", i)
		}
	}
	return ""
}
