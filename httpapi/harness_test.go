package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/sqlite"
	"safe-exec/policy"
)

// executorFunc stands where the jail does: the server is what is under test.
type executorFunc func(context.Context, policy.Request) (*policy.Result, error)

func (f executorFunc) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	return f(ctx, req)
}

// checkerFunc stands where checks are made.
type checkerFunc func(context.Context, policy.Request) (*policy.CheckResult, error)

func (f checkerFunc) CheckProgram(ctx context.Context, req policy.Request) (*policy.CheckResult, error) {
	return f(ctx, req)
}

// echo answers with the code it was given.
func echo(_ context.Context, req policy.Request) (*policy.Result, error) {
	code := 0
	return &policy.Result{
		Status: policy.Succeeded, ExecutionID: "ex_1", Stdout: req.Code, ExitCode: &code, Policy: "strict",
		Termination: policy.Termination{Reason: policy.ReasonCompleted},
	}, nil
}

// held is an executor whose runs last until they are released or cancelled.
type held struct {
	started chan policy.Request
	release chan struct{}
}

func newHeld() *held {
	return &held{started: make(chan policy.Request, 64), release: make(chan struct{})}
}

func (h *held) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	h.started <- req
	select {
	case <-h.release:
		return echo(ctx, req)
	case <-ctx.Done():
		return &policy.Result{Status: policy.Cancelled, Termination: policy.Termination{Reason: policy.ReasonCancelled}}, nil
	}
}

// logBuffer collects what the server logs.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// daemon is a Server on a real Unix socket.
type daemon struct {
	t      *testing.T
	server *Server
	path   string
	log    *logBuffer
	stop   context.CancelFunc
	served chan error
	client *http.Client
}

func start(t *testing.T, cfg Config) *daemon {
	t.Helper()
	d := &daemon{t: t, path: filepath.Join(t.TempDir(), "s.sock"), log: &logBuffer{}, served: make(chan error, 1)}
	cfg.Logger = slog.New(slog.NewJSONHandler(d.log, nil))
	if cfg.Jobs == nil {
		cfg.Accounts = NewAccounts()
		cfg.Jobs = store(t, cfg, 64)
	}
	server, err := New(cfg)
	require.NoError(t, err)
	d.server = server
	ln, err := net.Listen("unix", d.path)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	go func() { d.served <- server.Serve(ctx, ln) }()
	d.client = &http.Client{Transport: &http.Transport{
		DialContext:           func(ctx context.Context, _, _ string) (net.Conn, error) { return dialPatiently(ctx, d.path) },
		ExpectContinueTimeout: time.Minute,
	}}
	t.Cleanup(func() {
		d.client.CloseIdleConnections()
		stop()
		select {
		case <-d.served:
		case <-time.After(10 * time.Second):
			t.Error("Serve did not return")
		}
	})
	return d
}

// store keeps jobs in a database of this test, for one worker.
func store(t *testing.T, cfg Config, queued int) *jobs.Store {
	t.Helper()
	queue, err := sqlite.Open(t.TempDir(), jobs.SystemClock{})
	require.NoError(t, err)
	if cfg.Logger == nil {
		cfg.Logger = discard
	}
	s, err := jobs.New(jobs.Config{
		Executor: metered{Logged(cfg.Executor, cfg.Logger), cmp.Or(cfg.Accounts, NewAccounts())}, Queue: queue, Logger: cfg.Logger,
		Problem: func(err error) any { return ProblemOf(err) },
		Workers: 1, MaxQueued: queued, MaxQueuedPerOwner: queued, MaxFinished: 256, MaxFinishedBytes: 1 << 20, MaxAge: time.Hour,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_ = s.Close(ctx) // what a test holds is killed
		assert.NoError(t, queue.Close())
	})
	return s
}

// reply is what came back.
type reply struct {
	*http.Response
	body string
}

func (r reply) problem(t *testing.T) Problem {
	t.Helper()
	assert.Equal(t, ProblemType, r.Header.Get("Content-Type"))
	var p Problem
	require.NoError(t, json.Unmarshal([]byte(r.body), &p), r.body)
	assert.Equal(t, r.StatusCode, p.Status)
	assert.Equal(t, problemURN+string(p.Code), p.Type)
	assert.NotEmpty(t, p.Detail)
	// RFC 9457: a type has one title, whatever the status.
	assert.Equal(t, titleOf(p.Code), p.Title)
	if p.Field != "" {
		begins := strings.HasPrefix(p.Detail, p.Field+" ") || strings.HasPrefix(p.Detail, p.Field+":")
		assert.Equal(t, begins, p.Predicate != "", "a detail that begins with the field has the rest apart: %s", r.body)
		assert.True(t, !begins || policy.Sentence(p.Field, p.Predicate) == p.Detail, r.body)
	}
	return p
}

func (d *daemon) do(method, path, body string, headers ...string) reply {
	d.t.Helper()
	r, err := d.try(context.Background(), method, path, body, headers...)
	require.NoError(d.t, err)
	return r
}

// try sends a request; headers are name, value pairs that replace the usual.
func (d *daemon) try(ctx context.Context, method, path, body string, headers ...string) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://x"+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	got, err := d.client.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	answered := reply{got, string(text)}
	isDescribed(d.t, method, got.Request.URL.Path, answered, err == nil)
	return answered, err
}

// later sends a request and gives the channel its reply will come on.
func (d *daemon) later(method, path, body string) <-chan reply {
	out := make(chan reply, 1)
	go func() {
		defer close(out)
		if r, err := d.try(context.Background(), method, path, body); err == nil {
			out <- r
		} else {
			d.t.Errorf("%s %s: %v", method, path, err)
		}
	}()
	return out
}

func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v, ok := <-c:
		require.True(t, ok, "%s: nothing came", what)
		return v
	case <-time.After(10 * time.Second):
		require.Fail(t, "timed out waiting for "+what)
		panic("unreachable")
	}
}

const hello = `{"language":"python","code":"print('hello')"}`

var discard = slog.New(slog.DiscardHandler)

// deadlined is a recorder that takes deadlines, as a connection does.
type deadlined struct{ *httptest.ResponseRecorder }

func (deadlined) SetReadDeadline(time.Time) error  { return nil }
func (deadlined) SetWriteDeadline(time.Time) error { return nil }

func decode(t *testing.T, r reply, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.body), into), r.body)
}
