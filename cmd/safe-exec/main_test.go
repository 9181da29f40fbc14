package main

import (
	"bytes"
	"context"
	"errors"
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

	"safe-exec/internal/testproc"
)

// The tests of this package run the program as its users do: the real binary,
// real signals, real jails.
var (
	binary   string // built once, with the flags of the release
	stateDir string // shared, so that one start compiles the library for all
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if os.Getenv("SAFEEXEC_VM") == "1" { // no compiler there, and what runs there runs in this process
			return m.Run()
		}
		testproc.OwnMounts()
		dir, err := os.MkdirTemp("", "safe-exec-cmd-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		// A test runs the binary as another user.
		if err := os.Chmod(dir, 0o755); err != nil {
			panic(err)
		}
		binary, stateDir = filepath.Join(dir, "safe-exec"), filepath.Join(dir, "state")
		build := exec.Command("go", "build", "-trimpath", "-tags", "netgo,osusergo",
			"-ldflags", `-s -w -linkmode external -extldflags "-static"`, "-o", binary, ".")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build (after `make build`, which makes what is embedded): %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// outcome is what a user sees of one command.
type outcome struct {
	code           int
	stdout, stderr string
}

// patience bounds what should take a second or two, or half a minute at most: a busy
// machine may be many times slower.
const patience = 3 * time.Minute

// invoke runs the binary to its end.
func invoke(t *testing.T, args ...string) outcome { return invokeAs(t, nil, "", args...) }

// invokeAs runs it with stdin, as somebody else where as is set.
func invokeAs(t *testing.T, as *syscall.Credential, stdin string, args ...string) outcome {
	t.Helper()
	return invokeBy(t, nil, as, stdin, args...)
}

// invokeBy runs it through a program that becomes it.
func invokeBy(t *testing.T, by []string, as *syscall.Credential, stdin string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	line := slices.Concat(by, []string{binary}, args)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = strings.NewReader(stdin), &out, &errs, "/"
	if as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	}
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "safe-exec %v did not end; stderr: %s", args, errs.String())
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
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
