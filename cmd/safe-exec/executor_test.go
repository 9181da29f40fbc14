package main

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/httpapi"
	"safe-exec/internal/link"
	"safe-exec/nsjail"
	"safe-exec/policy"
)

// realRunner makes real jails.
func realRunner(t *testing.T, c config) *nsjail.Runner {
	t.Helper()
	all, err := c.profiles()
	require.NoError(t, err)
	runner, err := c.runner(t.Context(), all, spares{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(runner.Close)
	return runner
}

// serveLink is the executor's end of a link, served; it gives the broker's.
func serveLink(t *testing.T, c config, runner *nsjail.Runner) (broker net.Conn, ended <-chan error) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	var ends [2]net.Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "link")
		ends[i], err = net.FileConn(f)
		require.NoError(t, err)
		f.Close()
	}
	conf := c.linkConfig(runner, nil, httpapi.Tokens{{Name: "ci"}}, nil, slog.New(slog.DiscardHandler))
	conf.Engine = runner
	server, err := link.NewServer(ends[0], conf)
	require.NoError(t, err)
	done := make(chan error, 1)
	served := make(chan struct{})
	go func() { defer close(served); done <- server.Serve() }()
	t.Cleanup(func() { server.Close(); ends[1].Close(); <-served })
	return ends[1], done
}

// asks is a broker that says whatever it likes, in frames as they should be.
func asks(t *testing.T, c config, runner *nsjail.Runner) *link.Client {
	t.Helper()
	conn, _ := serveLink(t, c, runner)
	client := link.NewClient(conn)
	go func() { _ = client.Run() }()
	return client
}

func TestABrokerGetsNoMoreThanTheOperatorAllows(t *testing.T) {
	c := defaultConfig()
	c.StateDir = stateDir
	uid := uint32(1000)
	c.Callers = []caller{{UID: &uid, grant: grant{Level: "strict"}}}
	runner := realRunner(t, c)
	broker := asks(t, c, runner)
	member, other, root := policy.Caller{Local: true, UID: uid, GID: 7}, policy.Caller{Local: true, UID: 1001}, policy.Caller{Local: true}
	huge := func(n int64) policy.LimitsRequest {
		return policy.LimitsRequest{TimeoutMS: &n}
	}
	for _, row := range []struct {
		name  string
		req   policy.Request
		code  policy.Code
		field string
	}{
		{"what its caller may have", policy.Request{Caller: member, Level: "strict"}, "", ""},
		{"a level above its caller's ceiling", policy.Request{Caller: member, Level: "relaxed"}, policy.CodeForbidden, "policy"},
		{"the same with a ceiling of its own making", policy.Request{Caller: member, Level: "relaxed", Ceiling: "relaxed"}, policy.CodeForbidden, "policy"},
		{"another caller's ceiling, in his name", policy.Request{Caller: other, Level: "relaxed"}, "", ""},
		{"a profile, as who is not root", policy.Request{Caller: member, Profile: "python"}, policy.CodeForbidden, "profile"},
		{"the same with a privilege of its own making", policy.Request{Caller: member, Profile: "python", Privileged: true}, policy.CodeForbidden, "profile"},
		{"a start mode, as who is not root", policy.Request{Caller: member, StartMode: "cold"}, policy.CodeForbidden, "start_mode"},
		{"a start mode, as the holder of a token", policy.Request{Caller: policy.Caller{Token: "ci"}, StartMode: "cold"}, policy.CodeForbidden, "start_mode"},
		{"a token that the operator has given", policy.Request{Caller: policy.Caller{Token: "ci"}}, "", ""},
		{"a token that he has not", policy.Request{Caller: policy.Caller{Token: "cj"}}, policy.CodeForbidden, ""},
		{"a profile that the operator has not", policy.Request{Caller: root, Profile: "python-full"}, policy.CodeInvalid, "profile"},
		{"a time above the maximum, as root", policy.Request{Caller: root, Limits: huge(1 << 40)}, policy.CodeTooLarge, "limits.timeout_ms"},
		{"a time below zero", policy.Request{Caller: root, Limits: huge(-1)}, policy.CodeInvalid, "limits.timeout_ms"},
		{"a program above the maximum", policy.Request{Caller: root, Code: strings.Repeat("#", policy.MaxCodeBytes+1)}, policy.CodeTooLarge, "code"},
		{"modules without end", policy.Request{Caller: root, Deny: make([]string, policy.MaxDeny+1)}, policy.CodeTooLarge, "policy.deny"},
		{"a module of a megabyte", policy.Request{Caller: root, Deny: []string{"json." + strings.Repeat("x", 1<<20)}}, policy.CodeInvalid, "policy.deny[0]"},
		{"bytes that are no text", policy.Request{Caller: root, Code: "\xff"}, policy.CodeInvalid, "code"},
		{"a run for nobody", policy.Request{}, policy.CodeForbidden, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.req.Language = "python"
			if row.req.Code == "" {
				row.req.Code = "print(6*7)"
			}
			result, err := broker.Execute(t.Context(), row.req)
			assert.Equal(t, row.code, codeOf(broker.Resolve(t.Context(), row.req)), "what is asked before is answered alike")
			if row.code == "" {
				require.NoError(t, err)
				assert.Equal(t, []string{"42\n", "42"}, []string{result.Stdout, string(result.ResultJSON)})
				return
			}
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, []any{row.code, row.field}, []any{e.Code, e.Field})
			if row.code != policy.CodeForbidden {
				return // nobody may
			}
			// The control: it is the operator's word alone that was missing.
			row.req.Privileged, row.req.Ceiling = true, "relaxed"
			result, err = runner.Execute(t.Context(), row.req)
			require.NoError(t, err, "control")
			assert.Equal(t, policy.Succeeded, result.Status, "control")
			t.Logf("VERDICT held       %s: %s; control: %s", row.name, e.Message, result.Status)
		})
	}
}

func TestFramesOfAHostileBrokerLeaveTheJailsAlone(t *testing.T) {
	c := defaultConfig()
	c.StateDir = stateDir
	runner := realRunner(t, c)
	execute := func(length uint32, payload ...byte) []byte {
		return append([]byte{'x', byte(length), byte(length >> 8), byte(length >> 16), byte(length >> 24)}, payload...)
	}
	// The caller's token has a name that would outlive the run; all else is as it
	// should be, and empty.
	name := bytes.Repeat([]byte("x"), 1<<20)
	token := slices.Concat([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0}, name, make([]byte, 49))
	for _, row := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"a kind that there is not", []byte{'!', 0, 0, 0, 0}, link.ErrKind},
		{"a request of four gigabytes", execute(1<<32 - 1), link.ErrBounds},
		{"a request that is too short", execute(8, 1, 0, 0, 0, 0, 0, 0, 0), link.ErrMalformed},
		{"a request of zeros", execute(64, make([]byte, 64)...), link.ErrMalformed},
		{"a token's name of a megabyte", execute(uint32(len(token)), token...), link.ErrMalformed},
		{"a request that never ends", execute(1<<10, make([]byte, 100)...), link.ErrHalf},
		{"HTTP", []byte("POST /v1/tools/safe-exec HTTP/1.1\r\nHost: x\r\n\r\n"), link.ErrKind},
	} {
		t.Run(row.name, func(t *testing.T) {
			conn, ended := serveLink(t, c, runner)
			_, err := conn.Write(row.bytes)
			require.NoError(t, err)
			require.NoError(t, conn.(*net.UnixConn).CloseWrite())
			err = <-ended
			require.ErrorIs(t, err, row.want)
			// The control: the same runner, asked as one should.
			result, cerr := asks(t, c, runner).Execute(t.Context(), policy.Request{Language: "python", Code: "print(6*7)", Caller: policy.Caller{Local: true, UID: 1000}})
			require.NoError(t, cerr)
			assert.Equal(t, "42\n", result.Stdout)
			t.Logf("VERDICT held       %s: %v; control: %s", row.name, err, result.Status)
		})
	}
}

func codeOf(err error) policy.Code {
	var e *policy.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
