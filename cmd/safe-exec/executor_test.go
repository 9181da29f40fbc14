package main

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/link"
	"safe-exec/policy"
)

// linked is an executor of this process with real jails, and the client of a
// broker that says whatever it likes.
func linked(t *testing.T, c config) *link.Client {
	t.Helper()
	all, err := c.profiles()
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	runner, err := c.runner(t.Context(), all, spares{}, log)
	require.NoError(t, err)
	t.Cleanup(runner.Close)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	var ends [2]net.Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "link")
		ends[i], err = net.FileConn(f)
		require.NoError(t, err)
		f.Close()
	}
	conf := c.linkConfig(runner, nil, nil, log)
	conf.Engine = runner
	server, err := link.NewServer(ends[0], conf)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve() }()
	client := link.NewClient(ends[1])
	go func() { _ = client.Run() }()
	t.Cleanup(func() { server.Close(); <-ended })
	return client
}

func TestABrokerGetsNoMoreThanTheOperatorAllows(t *testing.T) {
	c := defaultConfig()
	c.StateDir = stateDir
	uid := uint32(1000)
	c.Callers = []caller{{UID: &uid, grant: grant{Level: "strict"}}}
	broker := linked(t, c)
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
		{"a start mode, as the holder of a token", policy.Request{Caller: policy.Caller{Token: "uid 0"}, StartMode: "cold"}, policy.CodeForbidden, "start_mode"},
		{"a profile that the operator has not", policy.Request{Caller: root, Profile: "python-full"}, policy.CodeInvalid, "profile"},
		{"a time above the maximum, as root", policy.Request{Caller: root, Limits: huge(1 << 40)}, policy.CodeTooLarge, "limits.timeout_ms"},
		{"a time below zero", policy.Request{Caller: root, Limits: huge(-1)}, policy.CodeInvalid, "limits.timeout_ms"},
		{"a program above the maximum", policy.Request{Caller: root, Code: strings.Repeat("#", policy.MaxCodeBytes+1)}, policy.CodeTooLarge, "code"},
		{"modules without end", policy.Request{Caller: root, Deny: make([]string, policy.MaxDeny+1)}, policy.CodeTooLarge, "policy.deny"},
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
