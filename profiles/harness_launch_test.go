package profiles_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/shim"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// A run is generous, so that a busy machine does not fail it: an endless loop gets its
// seconds of processor time (oracleCPU) there, too. And it is bounded, so that a harness
// that hangs does.
const runTimeout = 5 * time.Minute

// allowAll is a filter of one instruction: the harness is under test here, not
// a list of system calls. Little-endian struct sock_filter, RET ALLOW.
var allowAll = []byte{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f}

// interpreter is one language's harness and how it is started.
type interpreter struct {
	candidates []string
	flags      []string
	harness    string
	before     []string // a script that runs the harness, or flags that load one
	way        way
}

var (
	python     = interpreter{[]string{"/usr/bin/python3.11", "/usr/bin/python3"}, []string{"-I", "-S", "-B", "-X", "utf8"}, "harness.pyc", nil, cold}
	pythonText = interpreter{python.candidates, python.flags, "harness.py", nil, cold}
	javascript = interpreter{[]string{"/usr/bin/node"}, []string{"--expose-internals", "--experimental-vm-modules"}, "harness.js", nil, cold}
	// As it is started for a level that blocks eval.
	javascriptLocked = interpreter{javascript.candidates, append([]string{"--disallow-code-generation-from-strings", "--max-old-space-size=192"}, javascript.flags...), javascript.harness, nil, cold}
)

func (i interpreter) path(t testing.TB) string {
	t.Helper()
	path := i.find()
	require.NotEmpty(t, path, "none of %v exists", i.candidates)
	return path
}

func (i interpreter) find() string {
	for _, path := range i.candidates {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// scripts of testdata that stand before a harness. Its uid may be unable to pass the
// directories above this one, so image has copies.
var scripts = []string{"oracle/oracle.py", "oracle/oracle.js", "python/forks.py"}

// script is the path of one of them.
func script(t testing.TB, name string) string {
	t.Helper()
	dir, err := image()
	require.NoError(t, err)
	return filepath.Join(dir, "testdata", name)
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
	for _, language := range policy.Languages() {
		_, texts, err := profiles.Harness(language)
		if err != nil {
			return "", err
		}
		for name, text := range texts {
			files[filepath.Base(name)] = text
		}
	}
	for _, name := range scripts {
		if files["testdata/"+name], err = os.ReadFile(filepath.Join("testdata", name)); err != nil {
			return "", err
		}
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return "", err
		}
	}
	if path := python.find(); path != "" {
		const script = "import sys, py_compile\nfor f in sys.argv[1:]: py_compile.compile(f, f + 'c', doraise=True)"
		err = exec.Command(path, "-I", "-S", "-c", script, filepath.Join(dir, "harness.py"), filepath.Join(dir, "program.py")).Run()
	}
	return dir, err
})

func TestMain(m *testing.M) {
	// What the test's own caller left open is nothing that a harness, let alone
	// a program that writes to every descriptor, should get.
	if err := unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		panic(err)
	}
	unix.Umask(0o022) // other uids must be able to read what is made here
	dir, err := image()
	if err == nil {
		err = startable(dir)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	endTemplates()
	if dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// nobody is the uid of the harnesses, which an interpreter without a jail runs as.
const nobody = 65534

// startable says in a line why no harness in dir could be started, which else each test
// would say at length.
func startable(dir string) error {
	for _, i := range []interpreter{python, javascript} {
		if i.find() == "" {
			return fmt.Errorf("these tests run interpreters, and none of %v exists; install it", i.candidates)
		}
	}
	look := exec.Command("test", "-r", filepath.Join(dir, "harness.js"))
	if os.Geteuid() == 0 {
		look.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := look.Run(); err != nil {
		return fmt.Errorf("these tests run interpreters as uid %d, which cannot read %s: %w", nobody, dir, err)
	}
	return nil
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
	p.cmd = i.command(ctx, t, dir)
	p.cmd.ExtraFiles = []*os.File{theirs}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	t.Cleanup(func() {
		cancel()
		conn.Close()
		_ = p.cmd.Wait() // a second wait, if the test had its own, only says so
	})

	require.NoError(t, startWith(p.cmd, noNewPrivs))
	return p
}

// command is the harness in dir as another user, in a directory of its own.
func (i interpreter) command(ctx context.Context, t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	argv := slices.Concat([]string{i.path(t)}, i.flags, i.before, []string{filepath.Join(dir, i.harness)}, args)
	if i.oracled() {
		argv = append([]string{"prlimit", fmt.Sprint("--cpu=", oracleCPU), fmt.Sprint("--data=", oracleMemory)}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin"}
	cmd.Dir = openDir(t)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if i.oracled() { // what runs so are attacks, and no jail is around them
			cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWNS
		}
	}
	return cmd
}

func startWith(cmd *exec.Cmd, noNewPrivs bool) error {
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
		started <- cmd.Start()
	}()
	return <-started
}

// What a program under the oracle may use at most, since no cgroup bounds it.
const (
	oracleCPU    = 10      // seconds
	oracleMemory = 1 << 31 // bytes of private memory that can be written
)

func (p *process) expect(t testing.TB, kind wire.Kind) []byte {
	t.Helper()
	got, payload, err := wire.ReadFrame(p.conn, wire.MaxReply)
	require.NoError(t, err, "reading frame %c; stderr: %s", kind, &p.stderr)
	require.Equal(t, string(rune(kind)), string(rune(got)), "payload %q", payload)
	return payload
}

// handshake goes up to the point at which the daemon would send the job.
func (p *process) handshake(t testing.TB) { p.promise(t, nil) }

// promise does so with what the daemon says of the jobs to come: with that, the
// harness makes everything ready for their level.
func (p *process) promise(t testing.TB, promised []byte) {
	t.Helper()
	p.expect(t, wire.Ready)
	require.NoError(t, wire.WriteFrame(p.conn, wire.Kept, promised))
	require.Empty(t, p.expect(t, wire.Blocked))
}

// outcome is what a run told the daemon and left behind.
type outcome struct {
	kind           wire.Kind
	payload        []byte
	exit           int
	stdout, stderr string
	cpu            time.Duration
}

// run plays the daemon's side of one whole run.
func run(t testing.TB, i interpreter, job wire.Job) outcome {
	t.Helper()
	dir, err := image()
	require.NoError(t, err)
	return runIn(t, dir, i, job)
}

// runIn does so with the harness in a directory.
func runIn(t testing.TB, dir string, i interpreter, job wire.Job) outcome {
	t.Helper()
	switch i.way {
	case forked:
		return fork(t, dir, i, job)
	case warm:
		return runAhead(t, dir, i, job)
	default:
		return runCold(t, dir, i, job)
	}
}

func runCold(t testing.TB, dir string, i interpreter, job wire.Job) outcome {
	t.Helper()
	p := launch(t, i, dir, true)
	p.handshake(t)
	return p.finish(t, job)
}

func runAhead(t testing.TB, dir string, i interpreter, job wire.Job) outcome {
	t.Helper()
	p := launch(t, i, dir, true)
	p.promise(t, levelOnly(job))
	return p.finish(t, job)
}

// finish sends the job and waits for the end.
func (p *process) finish(t testing.TB, job wire.Job) outcome {
	t.Helper()
	require.NoError(t, wire.WriteFrame(p.conn, wire.JobFrame, job.Encode()))
	var out outcome
	var err error
	out.kind, out.payload, err = wire.ReadFrame(p.conn, wire.MaxReply)
	require.NoError(t, err, "reading the answer; stderr: %s", &p.stderr)

	rest, err := io.ReadAll(p.conn)
	require.NoError(t, err)
	require.Empty(t, rest, "the harness wrote beyond its answer")
	_ = p.cmd.Wait() // the exit status is in ProcessState
	out.exit = p.cmd.ProcessState.ExitCode()
	out.cpu = p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	out.stdout, out.stderr = p.stdout.String(), p.stderr.String()
	return out
}
