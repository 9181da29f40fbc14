package profiles_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// way is how a harness comes to its job.
type way string

const (
	cold   way = "cold"   // started for it
	warm   way = "warm"   // started ahead, and made ready for its level
	forked way = "forked" // forked by a template of its level
)

var allModes = flag.Bool("all-modes", false, "run every row in every way to start, also where its answer cannot depend on it")

// ways are those that can make a difference to what a program meets. A warm start of
// Python is made ready by the code that makes a template ready, so forks stand for both;
// JavaScript's forks need the kernel, and package nsjail has them.
func (i interpreter) ways() []interpreter {
	if i.isPython() && !*allModes {
		return i.by(cold, forked)
	}
	return i.everyWay()
}

// oneWay is for what is the same in all of them, as each use says.
func (i interpreter) oneWay() []interpreter {
	switch {
	case *allModes:
		return i.everyWay()
	case i.isPython(): // which costs the least
		return i.by(forked)
	}
	return i.by(cold)
}

// everyWay is for what the ways themselves have to bring about.
func (i interpreter) everyWay() []interpreter {
	if i.isPython() {
		return i.by(cold, warm, forked)
	}
	return i.by(cold, warm)
}

func (i interpreter) isPython() bool { return i.candidates[0] == python.candidates[0] }

func (i interpreter) by(ways ...way) []interpreter {
	all := make([]interpreter, len(ways))
	for n, w := range ways {
		i.way = w
		all[n] = i
	}
	return all
}

func (i interpreter) oracled() bool { return i.before != nil }

// levelOnly is what the daemon promises of a job.
func levelOnly(job wire.Job) []byte {
	job.Code, job.CheckOnly = "", false
	job.Stdin, job.Args, job.Env, job.Files = "", nil, nil, nil
	return job.Encode()
}

// template is a harness that has forks made of itself, by a script that stands
// in for the shim: there are no namespaces here to fork into.
type template struct {
	cmd    *exec.Cmd
	orders int // socket
	log    bytes.Buffer
}

// templates are those that were started, by what they are started with.
var templates = struct {
	sync.Mutex
	byKey map[string]*template
}{byKey: map[string]*template{}}

func endTemplates() {
	for _, m := range templates.byKey {
		unix.Close(m.orders)
		_ = m.cmd.Wait()
	}
}

func templateFor(t testing.TB, dir string, i interpreter, promised []byte) *template {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	key := fmt.Sprint(dir, i.before, string(promised))
	if m := templates.byKey[key]; m != nil {
		return m
	}
	if !i.oracled() {
		i.before, i.harness = []string{script(t, "python/forks.py")}, "."
	}
	jobs, orders := socketpair(t, syscall.SOCK_STREAM), socketpair(t, syscall.SOCK_SEQPACKET)
	m := &template{orders: orders[0]}
	m.cmd = i.command(context.Background(), t, dir, "template")
	if m.cmd.SysProcAttr != nil {
		m.cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWPID // no fork outlives its template
	}
	m.cmd.Stdout, m.cmd.Stderr = &m.log, &m.log
	theirs := []*os.File{os.NewFile(uintptr(jobs[1]), "job"), os.NewFile(uintptr(orders[1]), "orders")}
	m.cmd.ExtraFiles = theirs
	require.NoError(t, startWith(m.cmd, true))
	for _, file := range theirs {
		file.Close()
	}
	conn := connOf(t, jobs[0])
	defer conn.Close()
	require.NoError(t, wire.WriteFrame(conn, wire.Kept, promised))
	kind, payload, err := wire.ReadFrame(conn, wire.MaxReply)
	require.NoError(t, err, "%s", &m.log)
	require.Equal(t, "B", string(rune(kind)), "%q", payload)
	templates.byKey[key] = m
	return m
}

func socketpair(t testing.TB, kind int) [2]int {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	return pair
}

func connOf(t testing.TB, fd int) net.Conn {
	t.Helper()
	file := os.NewFile(uintptr(fd), "socket")
	defer file.Close()
	conn, err := net.FileConn(file)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(runTimeout)))
	return conn
}

// child is a payload that was forked, up to its B.
type child struct {
	conn, control  net.Conn
	stdout, stderr *os.File
}

func (m *template) fork(t testing.TB) *child {
	t.Helper()
	jobs, control := socketpair(t, unix.SOCK_STREAM), socketpair(t, unix.SOCK_STREAM)
	c := &child{conn: connOf(t, jobs[0]), control: connOf(t, control[0])}
	outR, outW, err := os.Pipe()
	require.NoError(t, err)
	errR, errW, err := os.Pipe()
	require.NoError(t, err)
	c.stdout, c.stderr = outR, errR
	t.Cleanup(func() { c.conn.Close(); c.control.Close(); outR.Close(); errR.Close() })
	rights := unix.UnixRights(int(outW.Fd()), int(errW.Fd()), jobs[1], control[1])
	require.NoError(t, unix.Sendmsg(m.orders, []byte(openDir(t)), rights, nil, 0))
	outW.Close()
	errW.Close()
	unix.Close(jobs[1])
	unix.Close(control[1])
	kind, payload, err := wire.ReadFrame(c.conn, wire.MaxReply)
	require.NoError(t, err, "%s", &m.log)
	require.Equal(t, "R", string(rune(kind)), "%q", payload)
	require.NoError(t, wire.WriteFrame(c.conn, wire.Kept, nil))
	kind, payload, err = wire.ReadFrame(c.conn, wire.MaxReply)
	require.NoError(t, err)
	require.Equal(t, "B", string(rune(kind)), "%q", payload)
	return c
}

// fork plays the daemon's side of one whole run of a fork.
func fork(t testing.TB, dir string, i interpreter, job wire.Job) outcome {
	t.Helper()
	return templateFor(t, dir, i, levelOnly(job)).fork(t).run(t, job)
}

func (c *child) run(t testing.TB, job wire.Job) outcome {
	t.Helper()
	var out outcome
	var wg sync.WaitGroup
	var stdout, stderr []byte
	wg.Go(func() { stdout, _ = io.ReadAll(c.stdout) })
	wg.Go(func() { stderr, _ = io.ReadAll(c.stderr) })
	require.NoError(t, wire.WriteFrame(c.conn, wire.JobFrame, job.Encode()))
	var err error
	out.kind, out.payload, err = wire.ReadFrame(c.conn, wire.MaxReply)
	require.NoError(t, err)
	rest, err := io.ReadAll(c.conn)
	require.NoError(t, err)
	require.Empty(t, rest, "the harness wrote beyond its answer")
	told, err := io.ReadAll(c.control)
	require.NoError(t, err)
	var status, micros int
	_, err = fmt.Sscan(string(told), &status, &micros)
	require.NoError(t, err, "%q", told)
	wg.Wait()
	out.exit = syscall.WaitStatus(status).ExitStatus() // -1 for a signal
	out.cpu = time.Duration(micros) * time.Microsecond
	out.stdout, out.stderr = string(stdout), string(stderr)
	return out
}
