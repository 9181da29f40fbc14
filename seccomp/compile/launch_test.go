package compile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

// A filter cannot be taken off again, so the test binary starts itself as a
// launcher, which takes the filter and becomes the interpreter.
const launcherEnv = "SECCOMP_TEST_LAUNCHER"

// x32Read as its program makes the launcher call read of the x32 ABI instead.
const x32Read = "x32 read"

// Descriptors of the launcher.
const (
	launcherFilter = 3 // the program's bytes
	launcherTalk   = 4 // the listener's number goes out, one byte comes back
)

func TestMain(m *testing.M) {
	if os.Getenv(launcherEnv) != "" {
		fmt.Fprintln(os.Stderr, "launcher:", launch(os.Args[1:]))
		os.Exit(99)
	}
	os.Exit(m.Run())
}

func launch(argv []string) error {
	runtime.LockOSThread()
	// One number, as in a jail: where they differ, Node raises the soft limit of
	// open files when it starts, and the Go runtime puts it back before an exec.
	const files = 256
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: files, Max: files}); err != nil {
		return err
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", launcherFilter))
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog, err := seccomp.UnmarshalProgram(b)
	if err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return errno
	}
	talk := binary.LittleEndian.AppendUint32(nil, uint32(fd))
	if _, err := unix.Write(launcherTalk, talk); err != nil {
		return err
	}
	if _, err := unix.Read(launcherTalk, talk[:1]); err != nil {
		return err
	}
	unix.Close(launcherFilter)
	unix.Close(launcherTalk)
	if argv[0] == x32Read {
		unix.RawSyscall(0x40000000|unix.SYS_READ, 0, 0, 0)
		return errors.New("the call of the x32 ABI came back")
	}
	return syscall.Exec(argv[0], argv, []string{"HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin"})
}

type outcome struct {
	stdout, stderr string
	state          *os.ProcessState
	denied         []string // names, sorted
}

// runUnder runs a program under the filter, with a listener that refuses.
func runUnder(t *testing.T, prog seccomp.Program, argv ...string) outcome {
	t.Helper()
	filter, err := os.CreateTemp(t.TempDir(), "filter")
	require.NoError(t, err)
	defer filter.Close()
	_, err = filter.Write(prog.Marshal())
	require.NoError(t, err)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", argv...)
	cmd.Env = []string{launcherEnv + "=1"}
	cmd.Dir = t.TempDir()
	cmd.ExtraFiles = []*os.File{filter, theirs}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	theirs.Close()

	n := listen(t, cmd.Process.Pid, ours)
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx, 1<<30) }()
	_, err = ours.Write([]byte{1})
	require.NoError(t, err)
	_ = cmd.Wait() // its status is the outcome
	require.NoError(t, <-done, "the notifier ends with the last process")
	require.NoError(t, n.Close())
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), state: cmd.ProcessState}
	for nr := range n.Counts() {
		o.denied = append(o.denied, compile.SyscallName(nr))
	}
	slices.Sort(o.denied)
	return o
}

// listen takes the listener out of the launcher, as the daemon takes it out of
// a jail.
func listen(t *testing.T, pid int, talk *os.File) *seccomp.Notifier {
	t.Helper()
	var number [4]byte
	_, err := talk.Read(number[:])
	require.NoError(t, err, "the launcher gave no listener")
	pidfd, err := unix.PidfdOpen(pid, 0)
	require.NoError(t, err)
	defer unix.Close(pidfd)
	fd, err := unix.PidfdGetfd(pidfd, int(binary.LittleEndian.Uint32(number[:])), 0)
	require.NoError(t, err)
	n, err := seccomp.NewNotifier(fd)
	require.NoError(t, err)
	return n
}

func interpreter(t *testing.T, list, code string) []string {
	t.Helper()
	argv := map[string][]string{
		"python":     {"/usr/bin/python3.11", "-I", "-S", "-B", "-X", "utf8", "-c", code},
		"javascript": {"/usr/bin/node", "-e", code},
	}[list]
	require.FileExists(t, argv[0], "the interpreter is part of the test")
	return argv
}

type row struct {
	what   string
	list   string
	code   string
	stdout string
	denied []string
}

func runRows(t *testing.T, rows []row) {
	progs := make(map[string]seccomp.Program)
	for _, list := range []string{"python", "javascript"} {
		var err error
		progs[list], err = compile.Compile(policy(t, list, seccomp.Startup))
		require.NoError(t, err)
	}
	for _, r := range rows {
		t.Run(r.list+": "+r.what, func(t *testing.T) {
			o := runUnder(t, progs[r.list], interpreter(t, r.list, r.code)...)
			assert.Equal(t, r.stdout, o.stdout, o.stderr)
			assert.Equal(t, 0, o.state.ExitCode(), "%v\n%s", o.state, o.stderr)
			assert.Equal(t, r.denied, o.denied, "denied calls")
		})
	}
}
