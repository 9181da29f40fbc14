package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dying stands where a daemon would, and goes away in the middle of everything but
// a ping.
func dying(t *testing.T) string {
	t.Helper()
	socket := newSocket(t)
	ln, err := net.Listen("unix", socket)
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "{}")
	})}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	return socket
}

func TestADaemonThatGoesAway(t *testing.T) {
	socket, py := dying(t), program(t, "p.py", "1")
	const gone = "safe-exec: the daemon on SOCKET went away before it had answered\n"
	for _, row := range []struct {
		name, hint string
		args       []string
	}{
		{"during a run", "hint: the program was waiting or running, and how it would have ended is not known; a job (--async) survives this\n", []string{"run", py}},
		{"during a stream", "hint: the program was waiting or running, and how it would have ended is not known; a job (--async) survives this\n", []string{"run", "--stream", py}},
		{"when it got a job", "hint: whether it took the job is not known; safe-exec jobs list tells, and with --key a repeated call makes no second one\n", []string{"run", "--async", py}},
		{"during a list", "", []string{"jobs", "list"}},
		{"before a wait", "hint: a job survives its daemon: ask again when that is back\n", []string{"jobs", "wait", "job_1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			at := 1
			if row.args[0] == "jobs" {
				at = 2
			}
			line := append(append(append([]string{}, row.args[:at]...), "--socket", socket), row.args[at:]...)
			want := strings.ReplaceAll(gone, "SOCKET", socket) + row.hint
			assert.Equal(t, outcome{125, "", want}, invoke(t, line...))
		})
	}
}

func TestNoDaemonAnswers(t *testing.T) {
	needRoot(t)
	py := program(t, "p.py", "1")
	const none = "safe-exec: no daemon answers on /nope/s: no such file or directory: start one with `safe-exec serve`"
	for _, row := range []struct {
		name, want string
		args       []string
	}{
		{"a list needs one", none + "\n", []string{"jobs", "list", "--socket", "/nope/s"}},
		{"so does a job", none + "\n", []string{"run", "--async", "--socket", "/nope/s", py}},
		{"so does a run that names it", none + "\n", []string{"run", "--socket", "/nope/s", py}},
		{"a run that could do without one names it", none + "; as root, run needs no daemon\n", []string{"run", "--socket", "/nope/s", "--config", "/nope", "--language", "python"}},
		{"so do rules of one that is named", none + "\n", []string{"policy", "--socket", "/nope/s"}},
		{"what is no socket has no daemon", "safe-exec: no daemon answers on /dev/null: it is not a socket\n", []string{"jobs", "list", "--socket", "/dev/null"}},
		{"a url is named once", "safe-exec: no daemon answers on http://127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused\n", []string{"jobs", "list", "--url", "http://127.0.0.1:1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			as := nobody(0)
			if row.args[len(row.args)-1] == py { // which nobody else may read
				as = nil
			}
			assert.Equal(t, outcome{125, "", row.want}, invokeAs(t, as, "1", row.args...))
		})
	}
	t.Setenv("SAFE_EXEC_SOCKET", "/nope/s")
	assert.Equal(t, outcome{125, "", none + "\n"}, invoke(t, "jobs", "list"), "the variable names a socket")
	assert.Equal(t, outcome{125, "", none + "\n"}, invoke(t, "run", py), "and who names one means that one")
	assert.Equal(t, outcome{125, "", none + "\n"}, invoke(t, "policy"), "its rules, too")
	d := fakeDaemon(t, answer{200, `{"jobs":[]}`})
	assert.Equal(t, outcome{0, "", ""}, invoke(t, "jobs", "list", "--socket", d.socket), "a flag goes before it")
}

// Whoever goes on without a daemon goes by rules that are not the daemon's: that is
// for where nobody listens.
func TestADaemonThatRefusesIsNotGoneWithout(t *testing.T) {
	py, config := program(t, "p.py", "print(1)"), program(t, "empty.yaml", "")
	for _, row := range []struct {
		name   string
		answer answer
		want   outcome
	}{
		{"a caller whose rate is used up", answer{429, `{"code":"busy","detail":"later"}`}, outcome{125, "", "safe-exec: later\n"}},
		{"a caller who may not call", answer{403, `{"code":"forbidden","detail":"not you"}`}, outcome{2, "", "safe-exec: not you\n"}},
		{"a daemon that is stopping", answer{503, `{"code":"unavailable","detail":"stopping"}`}, outcome{125, "", "safe-exec: stopping\n"}},
	} {
		for _, command := range [][]string{{"policy"}, {"policy", "--prompt"}, {"policy", "--json", "--level", "relaxed"}, {"run", py}} {
			t.Run(row.name+" asks for "+command[0], func(t *testing.T) {
				socket := refusing(t, row.answer)
				line := append([]string{command[0], "--socket", socket, "--config", config}, command[1:]...)
				assert.Equal(t, row.want, invoke(t, line...))
			})
		}
	}
}

// refusing stands where a daemon would, and refuses to say that it is alive.
func refusing(t *testing.T, a answer) string {
	t.Helper()
	socket := newSocket(t)
	ln, err := net.Listen("unix", socket)
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", problemType)
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	})}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	return socket
}

func TestADaemonThatStandsStill(t *testing.T) {
	t.Parallel()
	socket := newSocket(t)
	ln, err := net.Listen("unix", socket) // which nobody accepts from
	require.NoError(t, err)
	defer ln.Close()
	got := invoke(t, "jobs", "list", "--socket", socket)
	assert.Equal(t, outcome{125, "", "safe-exec: no daemon answers on " + socket + ": it took too long\n"}, got)
}

func TestWhoIsKeptOutIsToldHowToBeLetIn(t *testing.T) {
	needRoot(t)
	socket := fakeDaemon(t).socket
	for _, row := range []struct {
		name string
		gid  int
		want string
	}{
		{"a socket of root's alone", 0, "there was no group for callers when the daemon started: make one (groupadd --system safe-exec)"},
		{"a socket of a group", 1, "join the group daemon, which owns the socket"},
		{"a socket of a group without a name", 4242, "join the group with the gid 4242, which owns the socket"},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.NoError(t, os.Chown(socket, 0, row.gid))
			require.NoError(t, os.Chmod(socket, 0o660))
			err := unreachable(socket, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)})
			assert.ErrorContains(t, err, "no daemon answers on "+socket+": permission denied: ")
			assert.ErrorContains(t, err, row.want)
		})
	}
	assert.ErrorContains(t, unreachable("/nope/s", syscall.EACCES), "a directory on the way to it keeps this user out")
	other := errors.New("no daemon answers on x: something else")
	assert.Equal(t, other, unreachable("/nope/s", other))
}

func TestATokenThatIsNotKnownIsNamed(t *testing.T) {
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" {
			_, _ = io.WriteString(w, "{}")
			return
		}
		w.Header().Set("Content-Type", problemType)
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"code":"forbidden","detail":"a bearer token that this daemon knows is needed"}`)
	})}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	for value, hint := range map[string]string{
		"":      "$SAFE_EXEC_TOKEN is not set; whoever runs the daemon makes a token with safe-exec token new",
		"wrong": "the daemon does not know the token in $SAFE_EXEC_TOKEN",
	} {
		t.Setenv("SAFE_EXEC_TOKEN", value)
		want := outcome{2, "", "safe-exec: a bearer token that this daemon knows is needed\nhint: " + hint + "\n"}
		assert.Equal(t, want, invoke(t, "jobs", "list", "--url", "http://"+ln.Addr().String()))
	}
}
