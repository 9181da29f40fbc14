package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/internal/filled"
	"safe-exec/policy"
)

// executorFunc stands where the jail does; client and server are real.
type executorFunc func(context.Context, policy.Request) (*policy.Result, error)

func (f executorFunc) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	return f(ctx, req)
}

func dial(t *testing.T, cfg httpapi.Config) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.sock")
	cfg.Logger = slog.New(slog.DiscardHandler)
	server, err := httpapi.New(cfg)
	require.NoError(t, err)
	ln, err := net.Listen("unix", path)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	c := New(path)
	require.NoError(t, c.Ping(context.Background()))
	t.Cleanup(func() {
		c.Close()
		stop()
		select {
		case err := <-served:
			assert.NoError(t, err)
		case <-time.After(10 * time.Second):
			t.Error("Serve did not return")
		}
	})
	return c
}

func TestTheRequestArrivesAndTheResultComesBack(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	code := 3
	want := &policy.Result{
		Status: policy.Failed, ExecutionID: "ex_1", Stdout: "<&>\u2028\x00", ResultJSON: []byte(`{"a":1}`), ExitCode: &code,
		Termination: policy.Termination{Reason: policy.ReasonExitNonzero, Evidence: []policy.Evidence{}},
		Denials:     []policy.Denial{}, Violations: []policy.Violation{}, Files: []policy.File{}, FilesSkipped: []policy.SkippedFile{}, Layers: []policy.Layer{}, PolicyDeny: []string{"url"},
	}
	for _, row := range []struct {
		name string
		req  policy.Request
	}{
		{"the least", policy.Request{Language: "python", Code: "1"}},
		{"everything", policy.Request{Language: "js", Code: "ü😀\n\x00</script>", Level: "relaxed", StartMode: "cold", Limits: policy.LimitsRequest{
			TimeoutMS: n(1), MaxMemoryMB: n(2), MaxStdoutBytes: n(3), MaxStderrBytes: n(4)}}},
		{"all that a program may be given", policy.Request{Language: "js", Code: "1", Collect: []string{"*.png"}, Input: policy.Input{
			Stdin: "ü", Args: []string{"-v", ""}, Env: map[string]string{"A": "1"}, Files: []policy.InputFile{{Path: "a/b", Content: []byte("\x00\xff")}}}}},
		{"nothing to bring back", policy.Request{Language: "js", Code: "1", Collect: []string{}}},
		{"a level with less in it", policy.Request{Language: "js", Code: "1", Level: "strict", Deny: []string{"url", "util"}}},
		{"the default with less in it", policy.Request{Language: "js", Code: "1", Deny: []string{"url"}}},
		{"a mebibyte of NULs", policy.Request{Language: "python", Code: strings.Repeat("\x00", policy.MaxCodeBytes)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var seen policy.Request
			c := dial(t, httpapi.Config{Executor: executorFunc(func(_ context.Context, r policy.Request) (*policy.Result, error) {
				seen = r
				return want, nil
			})})
			got, err := c.Execute(context.Background(), row.req)
			require.NoError(t, err)
			got.Metrics = want.Metrics
			assert.Equal(t, want, got)
			seen.Privileged, seen.Caller = false, policy.Caller{}
			assert.Equal(t, row.req, seen)
		})
	}
}

type checkerFunc func(context.Context, policy.Request) (*policy.CheckResult, error)

func (f checkerFunc) CheckProgram(ctx context.Context, r policy.Request) (*policy.CheckResult, error) {
	return f(ctx, r)
}

func TestChecksTravelWithoutLoss(t *testing.T) {
	want := &policy.CheckResult{
		ExecutionID: "ex_1", Imports: []string{"json"}, Violations: []policy.Violation{{Rule: "r", Name: "os", Line: 1, Column: 2, Message: "m"}},
		Termination: policy.Termination{Reason: policy.ReasonPolicyViolation, Evidence: []policy.Evidence{}},
		Policy:      "strict", PolicyDeny: []string{"url"}, Layers: []policy.Layer{},
	}
	asked := policy.Request{Language: "js", Code: "1", Level: "strict", Deny: []string{"url"}}
	c := dial(t, httpapi.Config{
		Executor: executorFunc(func(context.Context, policy.Request) (*policy.Result, error) { return nil, errors.New("it ran") }),
		Checker: checkerFunc(func(_ context.Context, r policy.Request) (*policy.CheckResult, error) {
			r.Privileged, r.Caller = false, policy.Caller{}
			assert.Equal(t, asked, r)
			if r.Code == "0" {
				return nil, &policy.Error{Code: policy.CodeSetup, Step: "pivot", Message: "m"}
			}
			return want, nil
		}),
	})
	got, err := c.CheckProgram(t.Context(), asked)
	require.NoError(t, err)
	got.Metrics = want.Metrics
	assert.Equal(t, want, got)
	asked.Code = "0"
	_, err = c.CheckProgram(t.Context(), asked)
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "pivot", e.Step)
}

func TestRulesTravelWithoutLoss(t *testing.T) {
	rt := policy.Runtime{Version: "3.11.2", Profile: policy.Profile{
		Name: "python", Language: policy.Python, Level: "strict", Ceiling: "standard",
		Levels: map[string]policy.Level{"strict": {Imports: []string{"json"}}, "standard": {Imports: []string{"json", "csv"}}, "relaxed": {Unrestricted: true}},
	}}
	c := dial(t, httpapi.Config{
		Executor: executorFunc(func(context.Context, policy.Request) (*policy.Result, error) { return nil, errors.New("it ran") }),
		Describe: func() httpapi.Description { return httpapi.Description{Runtimes: []policy.Runtime{rt}} },
	})
	for _, level := range []string{"", "standard"} {
		want, err := rt.RulesOf(level, "", policy.LimitsRequest{})
		require.NoError(t, err)
		got, err := c.Rules(t.Context(), "py", level)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := c.Rules(t.Context(), "py", "relaxed")
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, policy.CodeForbidden, e.Code)
}

func TestErrorsComeBackAsTheyWere(t *testing.T) {
	ceiling := int64(30000)
	for _, row := range []struct {
		name string
		sent *policy.Error
		want policy.Error
	}{
		{"invalid keeps its field", policy.Invalid("policy", "is unknown"), policy.Error{Code: policy.CodeInvalid, Field: "policy", Predicate: "is unknown", Message: "policy is unknown"}},
		{"too large keeps value and maximum", &policy.Error{Code: policy.CodeTooLarge, Field: "limits.timeout_ms", Value: json.RawMessage("60000"), Maximum: &ceiling, Message: "m"},
			policy.Error{Code: policy.CodeTooLarge, Field: "limits.timeout_ms", Value: json.RawMessage("60000"), Maximum: &ceiling, Message: "m"}},
		{"forbidden", &policy.Error{Code: policy.CodeForbidden, Message: "m"}, policy.Error{Code: policy.CodeForbidden, Message: "m"}},
		{"not found", &policy.Error{Code: policy.CodeNotFound, Message: "m"}, policy.Error{Code: policy.CodeNotFound, Message: "m"}},
		{"conflict", &policy.Error{Code: policy.CodeConflict, Message: "m"}, policy.Error{Code: policy.CodeConflict, Message: "m"}},
		{"unavailable", &policy.Error{Code: policy.CodeUnavailable, Message: "m"}, policy.Error{Code: policy.CodeUnavailable, Message: "m"}},
		{"a setup error keeps its step and no cause", &policy.Error{Code: policy.CodeSetup, Step: "pivot", Message: "m", Err: errors.New("secret")},
			policy.Error{Code: policy.CodeSetup, Step: "pivot", Message: "m"}},
		{"busy says when to come back", &policy.Error{Code: policy.CodeBusy, Message: "m"},
			policy.Error{Code: policy.CodeBusy, Reason: "executor_full", Message: "m", Err: &RetryError{After: time.Second}}},
		{"internal tells nothing", &policy.Error{Code: policy.CodeInternal, Message: "secret"},
			policy.Error{Code: policy.CodeInternal, Message: "The daemon failed; its log has the cause under this request id."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := dial(t, httpapi.Config{Executor: executorFunc(func(context.Context, policy.Request) (*policy.Result, error) { return nil, row.sent })})
			_, err := c.Execute(context.Background(), policy.Request{Language: "python", Code: "1"})
			var got *policy.Error
			require.ErrorAs(t, err, &got)
			assert.Equal(t, row.want, *got)
			after, ok := RetryAfter(err)
			assert.Equal(t, row.want.Code == policy.CodeBusy, ok)
			assert.Equal(t, ok, after == time.Second)
		})
	}
}

func TestNoFieldOfAnErrorIsLostOnTheWay(t *testing.T) {
	want := filled.Value[policy.Error]()
	want.Code = policy.CodeForbidden
	executor := executorFunc(func(_ context.Context, req policy.Request) (*policy.Result, error) {
		if req.Code == "begun" {
			req.Watch(policy.Event{Kind: policy.EventStarted})
		}
		return nil, &want
	})
	c := dial(t, httpapi.Config{Executor: executor})
	problem, err := json.Marshal(httpapi.ProblemOf(&want))
	require.NoError(t, err)
	ended, _ := serve(t, jsonReply(fmt.Sprintf(`{"job_id":"j","status":"error","error":%s}`, problem)))
	for name, call := range map[string]func() error{
		"an answer": func() error { _, err := c.Execute(t.Context(), one); return err },
		"an event": func() error {
			_, err := c.ExecuteStream(t.Context(), policy.Request{Language: "python", Code: "begun"}, func(Event) error { return nil })
			return err
		},
		"a job": func() error {
			job, err := ended.Wait(t.Context(), "j")
			require.NoError(t, err)
			return job.Err
		},
	} {
		assert.Equal(t, &want, call(), name)
	}
}

// describeFull is a daemon's description with every field set.
func describeFull() httpapi.Description {
	return httpapi.Description{
		Version: "1.2",
		Runtimes: []policy.Runtime{{
			Profile: policy.Profile{
				Name: "python", Language: policy.Python, Level: "strict", Ceiling: "strict", Levels: map[string]policy.Level{"strict": {}},
				Requestable: policy.LimitRanges{MaxMemoryMB: policy.LimitRange{Min: 1, Default: 2, Max: 3}},
				Fixed:       policy.Limits{MaxPids: 6},
			},
			Version: "3.11", StartupFilter: "aa", SteadyFilter: "bb", ImageBytes: 5,
		}},
		Posture: httpapi.Posture{
			Kernel: "6.1", Cgroup: "v2", Layers: []policy.Layer{{Name: "seccomp", State: "enforced", Detail: "d"}},
			Check:       httpapi.PostureCheck{Time: time.Unix(1, 0).UTC(), Held: true, Probes: 2, Millis: 1.5},
			Quarantined: 1, CgroupParent: "safe-exec-01", UIDs: httpapi.UIDRange{First: 4, Count: 5}, Processes: []httpapi.Process{},
		},
	}
}

func TestWhatTheDaemonTellsOfItselfComesBack(t *testing.T) {
	want := describeFull()
	c := dial(t, httpapi.Config{Describe: describeFull, Executor: executorFunc(nil)})
	posture, err := c.Posture(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want.Posture, *posture)
	version, runtimes, err := c.Runtimes(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want.Version, version)
	require.Len(t, runtimes, 1)
	limits := runtimes[0].Fixed
	assert.EqualValues(t, 6, limits.MaxPids)
	assert.Equal(t, httpapi.Runtime{
		Profile: "python", Language: policy.Python, Aliases: policy.Aliases(policy.Python), Version: "3.11", Ready: true, Fixed: limits,
		Policies: []string{"strict"}, Policy: "strict",
		Limits:        policy.LimitRanges{MaxMemoryMB: policy.LimitRange{Min: 1, Default: 2, Max: 3}},
		StartupFilter: "aa", SteadyFilter: "bb", ImageBytes: 5,
	}, runtimes[0])
}

func TestTheKernelSaysWhoListens(t *testing.T) {
	c := dial(t, httpapi.Config{Executor: executorFunc(nil)})
	peer, err := c.Daemon(t.Context())
	require.NoError(t, err)
	assert.Equal(t, httpapi.Peer{UID: uint32(os.Getuid()), GID: uint32(os.Getgid()), PID: int32(os.Getpid())}, peer)

	_, err = New(filepath.Join(t.TempDir(), "nobody")).Daemon(t.Context())
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, policy.CodeUnavailable, e.Code)
}

func TestWhatTheClientRefusesItself(t *testing.T) {
	c := dial(t, httpapi.Config{Executor: executorFunc(func(context.Context, policy.Request) (*policy.Result, error) {
		t.Error("it ran")
		return nil, errors.New("x")
	})})
	for field, do := range map[string]func() error{
		"code": func() error {
			_, err := c.Execute(t.Context(), policy.Request{Language: "python", Code: "\xff"})
			return err
		},
		// What net/http refuses to send would look like a daemon that does not answer.
		"Idempotency-Key": func() error {
			_, err := c.Submit(t.Context(), policy.Request{Language: "python", Code: "1"}, SubmitOptions{Key: "a\nb"})
			return err
		},
		"Last-Event-ID": func() error { return c.Events(t.Context(), "job_1", "1.1\n", func(Event) error { return nil }) },
	} {
		var e *policy.Error
		require.ErrorAs(t, do(), &e, field)
		assert.Equal(t, field, e.Field)
		assert.Equal(t, policy.CodeInvalid, e.Code)
	}
}

func TestCancellingKillsTheRun(t *testing.T) {
	started, killed := make(chan struct{}), make(chan struct{})
	c := dial(t, httpapi.Config{Executor: executorFunc(func(ctx context.Context, _ policy.Request) (*policy.Result, error) {
		close(started)
		<-ctx.Done()
		close(killed)
		return &policy.Result{Status: policy.Cancelled}, nil
	})})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-started
		cancel()
	}()
	result, err := c.Execute(ctx, policy.Request{Language: "python", Code: "1"})
	require.NoError(t, err)
	assert.Equal(t, policy.Cancelled, result.Status)
	assert.Equal(t, policy.ReasonCancelled, result.Termination.Reason)
	select {
	case <-killed:
	case <-time.After(10 * time.Second):
		t.Fatal("the run went on in the daemon")
	}
}

func TestNoDaemon(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale.sock")
	ln, err := net.Listen("unix", stale)
	require.NoError(t, err)
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, ln.Close())
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, row := range []struct {
		name, path, says string
	}{
		{"no socket", filepath.Join(dir, "none"), "no such file"},
		{"a stale socket", stale, "connection refused"},
		{"a file", file, "connection refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := New(row.path)
			defer c.Close()
			err := c.Ping(context.Background())
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, policy.CodeUnavailable, e.Code)
			assert.Contains(t, e.Message, row.path)
			assert.ErrorContains(t, err, row.says)
		})
	}
}

// Whatever answers on the socket, the client gives an error of the vocabulary.
func TestAnswersOfSomethingElse(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		media  string
		body   string
		code   policy.Code
	}{
		{"a proxy's 502 is internal", 502, "text/html", "<h1>", policy.CodeInternal},
		{"a proxy's 503 is unavailable", 503, "text/html", "<h1>", policy.CodeUnavailable},
		{"a proxy's 413 is too large", 413, "text/html", "<h1>", policy.CodeTooLarge},
		{"a problem of another vocabulary has its status", 404, httpapi.ProblemType, `{"code":"gone"}`, policy.CodeNotFound},
		{"a broken problem has its status", 429, httpapi.ProblemType, `{`, policy.CodeBusy},
		{"a result that is none is internal", 200, "application/json", `[`, policy.CodeInternal},
		{"an empty reply is no result", 204, "application/json", ``, policy.CodeInternal},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.sock")
			ln, err := net.Listen("unix", path)
			require.NoError(t, err)
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/healthz" {
					fmt.Fprint(w, `{"status":"ok"}`)
					return
				}
				w.Header().Set("Content-Type", row.media)
				w.WriteHeader(row.status)
				fmt.Fprint(w, row.body)
			})}
			go func() { _ = server.Serve(ln) }()
			defer server.Close()
			c := New(path)
			defer c.Close()
			require.NoError(t, c.Ping(context.Background()))
			_, err = c.Execute(context.Background(), policy.Request{Language: "python", Code: "1"})
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, row.code, e.Code)
			assert.NotEmpty(t, e.Message)
		})
	}
}
