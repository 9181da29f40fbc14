package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/policy"
)

type jailFlags struct {
	*flags
	profile, config string
	timeout         time.Duration
	memory          int64
	libraries       bool
	asJSON          bool
}

func newJailFlags() *jailFlags {
	f := &jailFlags{flags: newFlags("jail", "-- PROGRAM [ARGS]",
		"PROGRAM runs in place of the interpreter, under the same lock-down, to look at it from inside.\n"+
			"Beside the profile's system calls it may execute and start itself: see docs/syscalls.md.\n"+
			"exit status: as of safe-exec run")}
	f.StringVar(&f.profile, "profile", string(policy.Python), "lock-down of profile `P`: python or javascript")
	f.DurationVar(&f.timeout, "timeout", 0, "time limit `D`, such as 3s (default: the profile's)")
	f.Int64Var(&f.memory, "memory", 0, "memory limit in `MB` (default: the profile's)")
	f.BoolVar(&f.libraries, "libraries", false, "PROGRAM is dynamically linked: take its libraries from the host")
	f.BoolVar(&f.asJSON, "json", false, "print the result object instead of the program's output")
	f.StringVar(&f.config, "config", "", "configuration `FILE`")
	return f
}

// jail runs a program of root's choice in place of the interpreter. It is not
// part of the API: no daemon is asked.
func jail(args []string, std stdio) int {
	f := newJailFlags()
	if status, done := f.parse(args, math.MaxInt, std); done {
		return status
	}
	program, err := f.check()
	if err != nil {
		std.complain(fmt.Errorf("jail: %w", err))
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	result, err := f.execute(ctx, program, slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	switch {
	case err != nil:
		return explain(std, err)
	case f.asJSON:
		return printJSON(std, result, exitStatus(result))
	}
	return printResult(std, result)
}

func (f *jailFlags) check() (program []byte, err error) {
	switch {
	case os.Geteuid() != 0:
		return nil, errors.New("only root may run a program of its own in a jail")
	case f.NArg() == 0:
		return nil, errors.New("no program given: safe-exec jail -- PROGRAM [ARGS]")
	}
	if program, err = os.ReadFile(f.Arg(0)); err != nil {
		return nil, err
	}
	static, err := isStatic(program)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", f.Arg(0), err)
	case !static && !f.libraries:
		return nil, fmt.Errorf("%s is dynamically linked: link it statically, or give --libraries", f.Arg(0))
	}
	return program, nil
}

// isStatic says whether a program is started without a loader. What is no
// program of this machine is an error.
func isStatic(program []byte) (bool, error) {
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return false, fmt.Errorf("no ELF program: %w", err)
	}
	if file.Machine != elf.EM_X86_64 || (file.Type != elf.ET_EXEC && file.Type != elf.ET_DYN) {
		return false, fmt.Errorf("no program for x86_64: %s, %s", file.Machine, file.Type)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	return true, nil
}

func (f *jailFlags) execute(ctx context.Context, program []byte, log *slog.Logger) (*policy.Result, error) {
	conf, err := loadConfig(f.config)
	if err != nil {
		return nil, &usageError{err}
	}
	all, err := conf.profiles()
	if err != nil {
		return nil, &usageError{err}
	}
	profile, ok := all[f.profile]
	if !ok {
		return nil, &usageError{fmt.Errorf("jail: there is no profile %q", f.profile)}
	}
	args := append([]string{filepath.Base(f.Arg(0))}, f.Args()[1:]...)
	var limits policy.LimitsRequest
	if f.Changed("timeout") {
		if limits.TimeoutMS, err = wholeMilliseconds(f.timeout); err != nil {
			return nil, &usageError{fmt.Errorf("jail: %w", err)}
		}
	}
	if f.Changed("memory") {
		limits.MaxMemoryMB = &f.memory
	}
	// Before anything is built.
	if _, err := policy.Resolve(policy.Request{Code: strings.Join(args, " "), Limits: limits}, profile); err != nil {
		return nil, err
	}
	runner, err := conf.nativeRunner(ctx, profile, program, log)
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	result, err := runner.ExecuteNative(ctx, args, limits)
	if err == nil {
		result.ResultJSON = policy.ResultJSON(result.Stdout, result.StdoutTruncated)
	}
	return result, err
}

// nativeRunner makes a Runner of nothing but one program.
func (c config) nativeRunner(ctx context.Context, profile policy.Profile, program []byte, log *slog.Logger) (*nsjail.Runner, error) {
	r, err := wiring.Runner(ctx, wiring.Config{
		StateDir: c.StateDir, UIDs: c.UIDs, EnableControllers: c.EnableControllers, Log: log,
		Native: program, NativeProfile: profile,
	})
	if err != nil {
		return nil, &lackingError{err}
	}
	return r, nil
}
