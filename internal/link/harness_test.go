package link

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// patience is for what must happen and never does.
const patience = 20 * time.Second

// engine runs nothing: it answers with what it was asked, or waits for its end.
type engine struct {
	started chan policy.Request
	hold    bool
	result  func(policy.Request) (*policy.Result, error)
}

func (e *engine) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	if e.started != nil {
		e.started <- req
	}
	if e.hold {
		<-ctx.Done()
		return &policy.Result{Status: policy.Cancelled}, nil
	}
	if req.Watch != nil {
		req.Watch(policy.Event{Kind: policy.EventStarted})
		req.Watch(policy.Event{Kind: policy.EventStdout, Data: []byte(req.Code)})
		req.Watch(policy.Event{Kind: policy.EventDenial, Syscall: "socket"})
	}
	if e.result != nil {
		return e.result(req)
	}
	return &policy.Result{Status: policy.Succeeded, Stdout: req.Code}, nil
}

func (e *engine) CheckProgram(_ context.Context, req policy.Request) (*policy.CheckResult, error) {
	return &policy.CheckResult{WouldRun: true, Policy: req.Level}, nil
}

// sockets is a connected pair, of the kind that the two processes have.
func sockets(t testing.TB) (executor, broker *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	var ends [2]*net.UnixConn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socket")
		c, err := net.FileConn(f)
		require.NoError(t, err)
		f.Close()
		ends[i] = c.(*net.UnixConn)
		t.Cleanup(func() { c.Close() })
	}
	return ends[0], ends[1]
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// authorize knows one caller who may more, as an operator's table would.
func authorize(r *policy.Request) error {
	if r.Caller == (policy.Caller{}) {
		return &policy.Error{Code: policy.CodeForbidden, Message: "nobody may call"}
	}
	r.Privileged, r.Ceiling = r.Caller.Root(), "strict"
	if r.Caller.Root() {
		r.Ceiling = "relaxed"
	}
	return nil
}

// resolve is as strict as a Runner with two levels.
func resolve(r policy.Request) error {
	if !r.Privileged && (r.Profile != "" || r.StartMode != "") {
		return &policy.Error{Code: policy.CodeForbidden, Field: "profile", Message: "only root may choose"}
	}
	if r.Level == "relaxed" && r.Ceiling != "relaxed" {
		return &policy.Error{Code: policy.CodeForbidden, Field: "policy", Message: "above the ceiling"}
	}
	return nil
}

func serverConfig(e Engine) ServerConfig {
	return ServerConfig{
		Engine: e, Resolve: resolve, Authorize: authorize, Logger: quiet(),
		Describe: func() any { return map[string]int{"spares": 3} },
	}
}

// served starts a server and gives its end's error when it has one.
func served(t testing.TB, conn net.Conn, cfg ServerConfig) (*Server, <-chan error) {
	t.Helper()
	s, err := NewServer(conn, cfg)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve() }()
	t.Cleanup(s.Close)
	return s, done
}

// linked is a client and a server that is past its greeting.
func linked(t testing.TB, cfg ServerConfig) (*Client, *Server, <-chan error) {
	t.Helper()
	ours, theirs := sockets(t)
	s, done := served(t, ours, cfg)
	c := NewClient(theirs)
	go func() { _ = c.Run() }()
	return c, s, done
}

// ends waits for what a server says at its end.
func ends(t testing.TB, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		require.FailNow(t, "the server does not end")
		return nil
	}
}

var uid1000 = policy.Caller{Local: true, UID: 1000, GID: 1000}

func code(err error) policy.Code {
	var e *policy.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestARequestAndItsAnswerCross(t *testing.T) {
	e := &engine{started: make(chan policy.Request, 1)}
	c, _, _ := linked(t, serverConfig(e))
	var mu sync.Mutex
	var events []policy.Event
	req := policy.Request{Language: "py", Code: "print(1)", Caller: uid1000, Watch: func(e policy.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}}
	result, err := c.Execute(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "print(1)", result.Stdout)
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []policy.Event{{Kind: policy.EventStarted}, {Kind: policy.EventStdout, Data: []byte("print(1)")}, {Kind: policy.EventDenial, Syscall: "socket"}}, events)
	got := <-e.started
	assert.Equal(t, []any{false, "strict"}, []any{got.Privileged, got.Ceiling})
	checked, err := c.CheckProgram(t.Context(), policy.Request{Caller: uid1000, Level: "strict"})
	require.NoError(t, err)
	assert.True(t, checked.WouldRun)
	var d map[string]int
	require.NoError(t, c.Describe(t.Context(), &d))
	assert.Equal(t, map[string]int{"spares": 3}, d)
}

func TestCancellingKillsTheRunAndGivesItsResult(t *testing.T) {
	e := &engine{started: make(chan policy.Request, 1), hold: true}
	c, _, _ := linked(t, serverConfig(e))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-e.started; cancel() }()
	result, err := c.Execute(ctx, policy.Request{Caller: uid1000})
	require.NoError(t, err)
	assert.Equal(t, policy.Cancelled, result.Status)
}

func TestWhatRunsNothingIsNotAwaitedForEver(t *testing.T) {
	stuck := make(chan struct{})
	cfg := serverConfig(&engine{})
	cfg.Describe = func() any { <-stuck; return struct{}{} }
	c, _, _ := linked(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var d struct{}
	assert.Equal(t, policy.CodeUnavailable, code(c.Describe(ctx, &d)))
	close(stuck) // the answer that comes late hurts nobody
	assert.NoError(t, c.Describe(t.Context(), &d))
}

func TestWhenTheConnectionEnds(t *testing.T) {
	e := &engine{started: make(chan policy.Request, 1), hold: true}
	c, s, done := linked(t, serverConfig(e))
	failed := make(chan error, 1)
	go func() {
		_, err := c.Execute(t.Context(), policy.Request{Caller: uid1000})
		failed <- err
	}()
	<-e.started
	s.Close()
	assert.Equal(t, policy.CodeUnavailable, code(<-failed), "who waits hears of it")
	assert.ErrorIs(t, ends(t, done), net.ErrClosed, "and the run has ended, or this would not")
	<-c.Done()
	_, err := c.Execute(t.Context(), policy.Request{Caller: uid1000})
	assert.Equal(t, policy.CodeUnavailable, code(err), "so does who comes later")
}

func TestABrokerThatGoesTakesItsRunsAlong(t *testing.T) {
	e := &engine{started: make(chan policy.Request, 1), hold: true}
	c, _, done := linked(t, serverConfig(e))
	go func() { _, _ = c.Execute(t.Context(), policy.Request{Caller: uid1000}) }()
	<-e.started
	require.NoError(t, c.Close())
	assert.NoError(t, ends(t, done), "an orderly end, after the run's")
}
