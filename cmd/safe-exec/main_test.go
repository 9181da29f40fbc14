package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"safe-exec/internal/hosttest"
	"safe-exec/internal/testproc"
)

// The tests of this package run the program as its users do: the real binary,
// real signals, real jails.
var (
	binary   string // with the flags of the release
	stateDir string // of commands that need no daemon; its cache is that of all state directories
)

// besides is how many tests run at once. They wait most of the time, for daemons that
// start and programs that run: more than there are processors.
const besides = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		if os.Getenv("SAFEEXEC_VM") == "1" { // no compiler there, and what runs there runs in this process
			return m.Run()
		}
		testproc.OwnMounts()
		if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.parallel") }) {
			must(flag.Set("test.parallel", besides))
		}
		dir, err := os.MkdirTemp("", "safe-exec-cmd-test-")
		must(err)
		defer os.RemoveAll(dir)
		// A test runs the binary as another user, and brokers pass through.
		must(os.Chmod(dir, 0o755))
		binary, stateDir = filepath.Join(dir, "safe-exec"), filepath.Join(dir, "state")
		if err := provide(binary); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		status := m.Run()
		if err := common.end(); err != nil {
			fmt.Fprintln(os.Stderr, "the common daemon:", err)
			status = max(status, 1)
		}
		return status
	}())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// provide puts the binary there: the one that $SAFEEXEC_BINARY names, as make does
// that has just built it, or else one that is built now.
func provide(path string) error {
	if built := os.Getenv("SAFEEXEC_BINARY"); built != "" {
		text, err := os.ReadFile(built)
		if err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o755)
	}
	build := exec.Command("go", "build", "-trimpath", "-tags", "netgo,osusergo",
		"-ldflags", `-s -w -linkmode external -extldflags "-static"`, "-o", path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build (after `make build`, which makes what is embedded): %w\n%s", err, out)
	}
	return nil
}

// outcome is what a user sees of one command.
type outcome struct {
	code           int
	stdout, stderr string
}

// patience bounds what should take a second or two, or half a minute at most: a busy
// machine may be many times slower.
const patience = 3 * time.Minute

// tick is between looks at what tells nobody that it has changed.
const tick = 10 * time.Millisecond

// eventually waits until a condition is met. The message says what was waited for.
func eventually(t *testing.T, met func() bool, format string, args ...any) {
	t.Helper()
	hosttest.Eventually(t, patience, tick, met, format, args...)
}

// invocation is how the binary is started.
type invocation struct {
	by    []string            // through this program, which becomes it
	as    *syscall.Credential // as somebody else
	env   []string            // beside the environment of the tests
	stdin string
}

// invoke runs the binary to its end.
func invoke(t *testing.T, args ...string) outcome { return invocation{}.run(t, args...) }

// invokeAs runs it with stdin, as somebody else where as is set.
func invokeAs(t *testing.T, as *syscall.Credential, stdin string, args ...string) outcome {
	t.Helper()
	return invocation{as: as, stdin: stdin}.run(t, args...)
}

func (i invocation) run(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := i.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(i.stdin), &out, &errs
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	err, _ := hosttest.Receive(t, patience, ended, "safe-exec %v did not end", args)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// command is what is to be started. The working directory is not the tests'.
func (i invocation) command(args ...string) *exec.Cmd {
	line := slices.Concat(i.by, []string{binary}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = "/", append(os.Environ(), i.env...)
	if i.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: i.as}
	}
	return cmd
}

// nobody is a user without any right of its own.
func nobody(gid uint32) *syscall.Credential {
	const overflow = 65534
	if gid == 0 {
		gid = overflow
	}
	return &syscall.Credential{Uid: overflow, Gid: gid, Groups: []uint32{}}
}

// program writes a file and gives its path.
func program(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}
