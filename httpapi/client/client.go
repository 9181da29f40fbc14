package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

const (
	base = "http://safe-exec" // the host is of no meaning on a Unix socket

	// maxReply bounds a reply in bytes: stdout, stderr and result_json at
	// their largest, six bytes of JSON for each byte, and room for the rest.
	maxReply = 64 << 20

	dialTimeout = 2 * time.Second

	// expectOver is the size in bytes above which the body is sent only after
	// the daemon has said that it takes the request; a refusal would
	// otherwise meet a caller that is still writing.
	expectOver    = 32 << 10
	expectTimeout = 30 * time.Second
)

// Client is a policy.Executor behind a Unix socket. It is safe for concurrent
// use and holds at most a few idle connections; Close drops them.
type Client struct {
	path string
	http *http.Client
}

var (
	_ policy.Executor = (*Client)(nil)
	_ policy.Checker  = (*Client)(nil)
)

// New makes a client of the daemon that listens at path. It does not connect;
// see Ping.
func New(path string) *Client {
	c := &Client{path: path}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext:           func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx) },
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       time.Minute,
		ExpectContinueTimeout: expectTimeout,
		DisableCompression:    true,
	}}
	return c
}

func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout}
	return d.DialContext(ctx, "unix", c.path)
}

// Ping asks the daemon whether it is alive, for two seconds at most. It fails
// with CodeUnavailable, wrapping the socket's errno (ENOENT: no daemon was
// started; ECONNREFUSED: it is gone; EACCES: the caller is not in its group).
func (c *Client) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return c.call(ctx, http.MethodGet, "/healthz", nil, &struct{}{})
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

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
}

// narrowed is a policy with less in it.
type narrowed struct {
	Level string   `json:"level,omitempty"`
	Deny  []string `json:"deny"`
}

// Execute runs one request in the daemon. req.Privileged and req.Ceiling are
// ignored: the daemon sees for itself who calls. When ctx is done it drops the connection,
// which makes the daemon kill the run, and gives a Result with StatusCancelled
// that holds nothing else, since the rest died with the connection.
func (c *Client) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	body, err := encode(req)
	if err != nil {
		return nil, err
	}
	var result policy.Result
	err = c.call(ctx, http.MethodPost, "/v1/tools/safe-exec", body, &result)
	if ctx.Err() != nil {
		return cancelled(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// CheckProgram has the daemon check one request without running it.
func (c *Client) CheckProgram(ctx context.Context, req policy.Request) (*policy.CheckResult, error) {
	body, err := encode(req)
	if err != nil {
		return nil, err
	}
	var result policy.CheckResult
	if err := c.call(ctx, http.MethodPost, "/v1/tools/safe-exec?dry_run=1", body, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// Rules gives what a program in the language may do: under the level, or the
// one that this caller gets who names none.
func (c *Client) Rules(ctx context.Context, language, level string) (policy.Rules, error) {
	query := url.Values{"language": {language}}
	if level != "" {
		query.Set("level", level)
	}
	var rules policy.Rules
	err := c.call(ctx, http.MethodGet, "/v1/policy?"+query.Encode(), nil, &rules)
	return rules, err
}

// encode refuses what encoding/json would silently replace.
func encode(req policy.Request) ([]byte, error) {
	if !utf8.ValidString(req.Code) {
		return nil, policy.Invalid("code", "code is not valid UTF-8")
	}
	r := request{Language: req.Language, Code: req.Code, Profile: req.Profile, Start: req.StartMode, Limits: limits(req.Limits)}
	switch {
	case len(req.Deny) > 0:
		r.Policy = narrowed{req.Level, req.Deny}
	case req.Level != "":
		r.Policy = req.Level
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("encode request: %w", err)}
	}
	return body, nil
}

func (c *Client) call(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("make request: %w", err)}
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if len(body) > expectOver {
		r.Header.Set("Expect", "100-continue")
	}
	reply, err := c.http.Do(r)
	if err != nil {
		return c.unreachable(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReply+1))
	switch {
	case err != nil:
		return c.unreachable(err)
	case len(text) > maxReply:
		return &policy.Error{Code: policy.CodeInternal, Message: "the daemon's reply is too large"}
	case reply.StatusCode != http.StatusOK:
		return refusal(reply, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &policy.Error{Code: policy.CodeInternal, Message: "the daemon's reply is no JSON", Err: err}
	}
	return nil
}

func (c *Client) unreachable(err error) error {
	return &policy.Error{
		Code: policy.CodeUnavailable, Err: err,
		Message: "no daemon answers on " + c.path,
	}
}

func refusal(reply *http.Response, text []byte) error {
	var p httpapi.Problem
	media, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	if media == httpapi.ProblemType {
		// What does not parse leaves the status to speak.
		_ = json.Unmarshal(text, &p)
	}
	e := p.Err(reply.StatusCode)
	if seconds, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.Err = &RetryError{After: time.Duration(seconds) * time.Second}
	}
	return e
}

// RetryError is inside an error with CodeBusy: when to come back.
type RetryError struct{ After time.Duration }

func (e *RetryError) Error() string { return fmt.Sprintf("retry after %v", e.After) }

// RetryAfter tells how long the daemon asked to wait, if it did.
func RetryAfter(err error) (time.Duration, bool) {
	var r *RetryError
	if errors.As(err, &r) {
		return r.After, true
	}
	return 0, false
}

func cancelled(ctx context.Context) *policy.Result {
	return &policy.Result{
		Status: policy.Cancelled, ResultJSON: []byte("null"),
		Termination: policy.Termination{
			Reason:   policy.ReasonCancelled,
			Evidence: []policy.Evidence{{Source: "client", Name: "context", Value: ctx.Err().Error()}},
			Hint:     "The caller cancelled the run; its output went with the connection.",
		},
		Denials: []policy.Denial{}, Violations: []policy.Violation{}, Files: []policy.File{}, Layers: []policy.Layer{},
	}
}
