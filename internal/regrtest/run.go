package regrtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// moduleTimeout bounds one module, bare or in a jail. The longest takes half a
// minute on an idle machine.
const moduleTimeout = 10 * time.Minute

// Profile is python-full with room for the tests: they take longer, print more
// and leave more files than a program may by default. The kernel layers are
// the same.
func Profile(all map[string]policy.Profile) policy.Profile {
	p := profiles.WithPythonFull(all)[profiles.PythonFull]
	longest, most := moduleTimeout.Milliseconds(), int64(8<<20)
	p.Requestable.TimeoutMS = policy.LimitRange{Min: 1, Default: longest, Max: longest}
	p.Requestable.MaxMemoryMB = policy.LimitRange{Min: 32, Default: 1024, Max: 1024}
	p.Requestable.MaxStdoutBytes = policy.LimitRange{Min: 1, Default: most, Max: most}
	p.Requestable.MaxStderrBytes = policy.LimitRange{Min: 1, Default: 1 << 20, Max: 1 << 20}
	p.Fixed.CPUPercent = 100 * 8 // as many processors as the bare run has
	return p
}

// Jailed runs a module's tests in a jail of that profile.
func Jailed(ctx context.Context, executor policy.Executor, module string) (Table, error) {
	result, err := executor.Execute(ctx, policy.Request{
		Language: string(policy.Python), Profile: profiles.PythonFull, Privileged: true, Code: Program(module),
	})
	if err != nil {
		return nil, err
	}
	table, err := Parse(result.Stdout)
	if err != nil {
		return nil, fmt.Errorf("%w: %s, %s; stderr ends in %q", err, result.Status, result.Termination.Reason, tail(result.Stderr))
	}
	return table, nil
}

// nobody is the uid of the bare run: some tests ask whether they are root.
const nobody = 65534

// Bare runs a module's tests under an interpreter of the host, in a scratch
// directory, as a user without rights.
func Bare(ctx context.Context, python, module string) (Table, error) {
	dir, err := os.MkdirTemp("", "regrtest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "program.py")
	if err := os.WriteFile(program, []byte(Program(module)), 0o644); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, moduleTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-B", "-X", "utf8", program)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8", "PATH=/usr/bin"}
	cmd.WaitDelay = 10 * time.Second // for what its own children hold open
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failure := cmd.Run()
	table, err := Parse(stdout.String())
	if err != nil {
		return nil, fmt.Errorf("bare: %w; stderr ends in %q", errors.Join(err, failure), tail(stderr.String()))
	}
	return table, nil
}

func tail(text string) string { return text[max(0, len(text)-500):] }

// Installed says whether the tests are there for an interpreter of the host.
func Installed(ctx context.Context, python string) bool {
	return exec.CommandContext(ctx, python, "-I", "-c", "import test.test_html").Run() == nil
}
