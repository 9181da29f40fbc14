package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

const (
	// maxReply bounds a reply in bytes: stdout, stderr, result_json and files
	// at their largest, six bytes of JSON for each byte, and room for the rest.
	maxReply = 64 << 20

	// pingTimeout is for a host so busy that nobody gets a processor for seconds:
	// on one that is not, an answer takes a millisecond.
	pingTimeout = 10 * time.Second

	runPath  = "/v1/tools/safe-exec"
	jobsPath = "/v1/jobs"

	// expectOver is the size in bytes above which the body is sent only after
	// the daemon has said that it takes the request; a refusal would
	// otherwise meet a caller that is still writing.
	expectOver    = 32 << 10
	expectTimeout = 30 * time.Second

	maxRetry = 24 * 3600 // seconds that a daemon may ask to wait; more is nonsense, and no Duration holds any number
)

// Client is a policy.Executor behind a socket. It is safe for concurrent use
// and holds at most a few idle connections; Close drops them.
type Client struct {
	where, base, token string
	dial               func(context.Context) (net.Conn, error)
	http               *http.Client
}

var (
	_ policy.Executor = (*Client)(nil)
	_ policy.Checker  = (*Client)(nil)
)

// New makes a client of the daemon that listens at path. It does not connect;
// see Ping.
func New(path string) *Client {
	// The host is of no meaning on a Unix socket.
	return newClient(path, "http://safe-exec", "", "unix", path, nil)
}

// NewDialed is New on connections that dial makes; where names the daemon in errors.
func NewDialed(where string, dial func(context.Context) (net.Conn, error)) *Client {
	c := New(where)
	c.dial = dial
	return c
}

func newClient(where, base, token, network, address string, conf *tls.Config) *Client {
	c := &Client{where: where, base: base, token: token, dial: dialing(network, address)}
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext:           func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx) },
			TLSClientConfig:       conf,
			MaxIdleConnsPerHost:   8,
			IdleConnTimeout:       time.Minute,
			ExpectContinueTimeout: expectTimeout,
			DisableCompression:    true,
		},
		// The daemon never sends anybody on; whatever does shall not get the
		// token.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Ping asks the daemon whether it is alive, for ten seconds at most. It fails
// with CodeUnavailable, wrapping the socket's errno (ENOENT: no daemon was
// started; ECONNREFUSED: it is gone; EACCES: the caller is not in its group).
func (c *Client) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return c.call(ctx, http.MethodGet, "/healthz", nil, &struct{}{})
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Execute runs one request in the daemon. req.Caller, req.Privileged and
// req.Ceiling are ignored: the daemon sees for itself who calls. req.Watch hears
// the run while it lasts. When ctx is done it drops the connection, which makes
// the daemon kill the run, and gives a Result with Cancelled that holds nothing
// else, since the rest died with the connection.
func (c *Client) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	if req.Watch != nil {
		return c.ExecuteStream(ctx, req, func(e Event) error {
			if heard, ok := e.Heard(); ok {
				req.Watch(heard)
			}
			return nil
		})
	}
	body, err := encode(req)
	if err != nil {
		return nil, err
	}
	var result policy.Result
	err = c.call(ctx, http.MethodPost, runPath, body, &result)
	if ctx.Err() != nil {
		return cancelled(ctx, "its output went with the connection"), nil //nolint:nilerr // a cancelled run has a result
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
	if err := c.call(ctx, http.MethodPost, runPath+"?dry_run=1", body, &result); err != nil {
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

// call sends one request and decodes its reply into into.
func (c *Client) call(ctx context.Context, method, path string, body []byte, into any) error {
	return c.callWith(ctx, method, path, nil, body, into)
}

func (c *Client) callWith(ctx context.Context, method, path string, header http.Header, body []byte, into any) error {
	reply, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := c.readAll(reply)
	switch {
	case err != nil:
		return err
	case reply.StatusCode != http.StatusOK && reply.StatusCode != http.StatusAccepted:
		return refusal(reply, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &policy.Error{Code: policy.CodeInternal, Message: "the daemon's reply is no JSON", Err: err}
	}
	return nil
}

func (c *Client) send(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("make request: %w", err)}
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if len(body) > expectOver {
		r.Header.Set("Expect", "100-continue")
	}
	reply, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(err)
	}
	return reply, nil
}

func (c *Client) readAll(reply *http.Response) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, c.unreachable(err)
	case len(text) > maxReply:
		return nil, &policy.Error{Code: policy.CodeInternal, Message: "the daemon's reply is too large"}
	}
	return text, nil
}

func (c *Client) unreachable(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // the URL around it means nothing on a socket
	}
	message := "no daemon answers on " + c.where
	if hungUp(err) {
		message = "the daemon on " + c.where + " went away before it had answered"
	}
	return &policy.Error{Code: policy.CodeUnavailable, Err: err, Message: message}
}

// HungUp says whether the daemon was there and went away without an answer:
// whatever was asked for may have happened, or not.
func HungUp(err error) bool {
	var e *policy.Error
	return errors.As(err, &e) && e.Code == policy.CodeUnavailable && hungUp(e.Err)
}

func hungUp(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// ErrToken is inside an error with CodeForbidden: the daemon knows no token that
// was sent (401), if one was.
var ErrToken = errors.New("no token that the daemon knows")

func refusal(reply *http.Response, text []byte) error {
	var p httpapi.Problem
	media, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	if media == httpapi.ProblemType {
		// What does not parse leaves the status to speak.
		_ = json.Unmarshal(text, &p)
	}
	e := p.Err(reply.StatusCode)
	if seconds, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.Err = &RetryError{After: time.Duration(min(seconds, maxRetry)) * time.Second}
	}
	if reply.StatusCode == http.StatusUnauthorized {
		e.Err = ErrToken
	}
	return e
}

// RetryError is inside an error with CodeBusy or CodeUnavailable: when to come back
// (Retry-After, RFC 9110, section 10.2.3).
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

// cancelled is the result of a run whose connection this side dropped; lost says what
// became of its output.
func cancelled(ctx context.Context, lost string) *policy.Result {
	return &policy.Result{
		Status: policy.Cancelled, ResultJSON: []byte("null"),
		Termination: policy.Termination{
			Reason:   policy.ReasonCancelled,
			Evidence: []policy.Evidence{{Source: "client", Name: "context", Value: ctx.Err().Error()}},
			Hint:     "The caller cancelled the run; " + lost + ".",
		},
		Denials: []policy.Denial{}, Violations: []policy.Violation{}, Files: []policy.File{}, FilesSkipped: []policy.SkippedFile{},
		PolicyDeny: []string{}, Layers: []policy.Layer{},
	}
}
