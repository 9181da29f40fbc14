package profiles_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/shim"
	"safe-exec/nsjail/wire"
)

// A run is generous, so that a busy machine does not fail it, and bounded, so
// that a harness that hangs does.
const runTimeout = 60 * time.Second

// allowAll is a filter of one instruction: the harness is under test here, not
// a list of system calls. Little-endian struct sock_filter, RET ALLOW.
var allowAll = []byte{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f}

// interpreter is one language's harness and how it is started.
type interpreter struct {
	candidates []string
	flags      []string
	harness    string
}

var (
	python     = interpreter{[]string{"/usr/bin/python3.11", "/usr/bin/python3"}, []string{"-I", "-S", "-B", "-X", "utf8"}, "harness.pyc"}
	pythonText = interpreter{python.candidates, python.flags, "harness.py"}
	javascript = interpreter{[]string{"/usr/bin/node"}, nil, "harness.js"}
)

func (i interpreter) path(t testing.TB) string {
	t.Helper()
	for _, path := range i.candidates {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	require.FailNow(t, "interpreter missing", "none of %v exists; install it", i.candidates)
	return ""
}

// image is a directory laid out as the one in the profile image. It is made
// once, for making it starts an interpreter.
var image = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "safe-exec-harness-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	files := map[string][]byte{
		"_safe_exec.abi3.so": shim.Python(), "safe_exec.node": shim.Node(), "steady.bpf": allowAll,
	}
	for name, source := range map[string]string{"harness.py": "python/harness.py", "harness.js": "javascript/harness.js"} {
		if files[name], err = os.ReadFile(source); err != nil {
			return "", err
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return "", err
		}
	}
	for _, path := range python.candidates {
		if _, err := os.Stat(path); err == nil {
			const script = "import sys, py_compile; py_compile.compile(sys.argv[1], sys.argv[1] + 'c', doraise=True)"
			return dir, exec.Command(path, "-I", "-S", "-c", script, filepath.Join(dir, "harness.py")).Run()
		}
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	// What the test's own caller left open is nothing that a harness, let alone
	// a program that writes to every descriptor, should get.
	if err := unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		panic(err)
	}
	code := m.Run()
	if dir, _ := image(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// openDir is a directory that any uid can reach and write, which t.TempDir is
// not.
func openDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "safe-exec-harness-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	return dir
}

// process is a started harness and the daemon's end of its job socket.
type process struct {
	cmd            *exec.Cmd
	conn           net.Conn
	stdout, stderr bytes.Buffer
}

// launch starts a harness from dir as the init does: no_new_privs, another
// uid, an empty-handed environment, the job socket as descriptor 3.
func launch(t testing.TB, i interpreter, dir string, noNewPrivs bool) *process {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	ours, theirs := os.NewFile(uintptr(pair[0]), "job"), os.NewFile(uintptr(pair[1]), "job of the harness")
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	ours.Close()
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(runTimeout)))

	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	p := &process{conn: conn}
	p.cmd = exec.CommandContext(ctx, i.path(t), append(append([]string{}, i.flags...), filepath.Join(dir, i.harness))...)
	p.cmd.Env = []string{"HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin"}
	p.cmd.Dir = openDir(t)
	p.cmd.ExtraFiles = []*os.File{theirs}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if os.Geteuid() == 0 {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	t.Cleanup(func() {
		cancel()
		conn.Close()
		_ = p.cmd.Wait() // a second wait, if the test had its own, only says so
	})

	started := make(chan error, 1)
	go func() {
		// no_new_privs cannot be taken back: the thread ends with the goroutine.
		runtime.LockOSThread()
		if noNewPrivs {
			if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
				started <- err
				return
			}
		}
		started <- p.cmd.Start()
	}()
	require.NoError(t, <-started)
	return p
}

func (p *process) expect(t testing.TB, kind wire.Kind) []byte {
	t.Helper()
	got, payload, err := wire.ReadFrame(p.conn, wire.MaxReply)
	require.NoError(t, err, "reading frame %c; stderr: %s", kind, &p.stderr)
	require.Equal(t, string(rune(kind)), string(rune(got)), "payload %q", payload)
	return payload
}

// handshake goes up to the point at which the daemon would send the job.
func (p *process) handshake(t testing.TB) {
	t.Helper()
	p.expect(t, wire.Ready)
	require.NoError(t, wire.WriteFrame(p.conn, wire.Kept, nil))
	require.Empty(t, p.expect(t, wire.Blocked))
}

// outcome is what a run told the daemon and left behind.
type outcome struct {
	kind           wire.Kind
	payload        []byte
	exit           int
	stdout, stderr string
}

// run plays the daemon's side of one whole run.
func run(t testing.TB, i interpreter, job wire.Job) outcome {
	t.Helper()
	dir, err := image()
	require.NoError(t, err)
	p := launch(t, i, dir, true)
	p.handshake(t)
	require.NoError(t, wire.WriteFrame(p.conn, wire.JobFrame, job.Encode()))
	var out outcome
	out.kind, out.payload, err = wire.ReadFrame(p.conn, wire.MaxReply)
	require.NoError(t, err, "reading the answer; stderr: %s", &p.stderr)

	rest, err := io.ReadAll(p.conn)
	require.NoError(t, err)
	require.Empty(t, rest, "the harness wrote beyond its answer")
	_ = p.cmd.Wait() // the exit status is in ProcessState
	out.exit = p.cmd.ProcessState.ExitCode()
	out.stdout, out.stderr = p.stdout.String(), p.stderr.String()
	return out
}
