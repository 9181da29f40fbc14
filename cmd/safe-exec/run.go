package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"safe-exec/httpapi/client"
	"safe-exec/nsjail"
	"safe-exec/policy"
	"safe-exec/profiles"
)

type runFlags struct {
	*flags
	language, level, deny, profile, mode, socket, config string
	timeout                                              time.Duration
	memory                                               int64
	check, asJSON                                        bool
}

func newRunFlags() *runFlags {
	f := &runFlags{flags: newFlags("run", "[FILE|-]",
		"exit status: 0 succeeded, 1 the program failed, 2 usage, 3 a limit or the policy ended it, 125 safe-exec failed\n"+
			"with --check: 0 it would run, 1 it has a syntax error, 2 usage, 3 the policy or a limit refuses it, 125 safe-exec failed")}
	f.StringVar(&f.language, "language", "", "`L`: python or javascript (default: by the file's ending)")
	f.StringVar(&f.level, "policy", "", "import policy `P`, as safe-exec policy lists them (default: the profile's)")
	f.StringVar(&f.deny, "deny", "", "modules to deny beyond that policy: `NAMES` with commas between")
	f.BoolVar(&f.check, "check", false, "only say whether the program would run, and what it imports")
	f.StringVar(&f.profile, "profile", "", "profile `NAME`, for root: python-full has the whole standard library")
	f.StringVar(&f.mode, "start-mode", "", "`M`, for root: cold, warm or fork (default: what is fastest)")
	f.duration("timeout", "time limit `D`, such as 3s (default: the profile's)", &f.timeout)
	f.Int64Var(&f.memory, "memory", 0, "memory limit in `MB` (default: the profile's)")
	f.BoolVar(&f.asJSON, "json", false, "print the result object instead of the program's output")
	f.StringVar(&f.socket, "socket", defaultSocket, "the daemon's socket `PATH` (default "+defaultSocket+")")
	f.StringVar(&f.config, "config", "", "configuration `FILE`, for root when no daemon answers")
	return f
}

// run executes one program: through the daemon when its socket answers, else,
// as root, in this process.
func run(args []string, std stdio) int {
	f := newRunFlags()
	if status, done := f.parse(args, 1, std); done {
		return status
	}
	req, err := f.request(std.in)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	e, done, err := f.open(ctx, &req, std.err)
	if err != nil {
		return explain(std, err)
	}
	defer done()
	if f.check {
		return f.printCheck(ctx, e, req, std)
	}
	result, err := e.Execute(ctx, req)
	switch {
	case err != nil:
		return explain(std, err)
	case f.asJSON:
		return printJSON(std, result, exitStatus(result))
	}
	return printResult(std, result)
}

func (f *runFlags) request(stdin io.Reader) (policy.Request, error) {
	name := f.Arg(0)
	language, err := languageOf(f.language, name)
	if err != nil {
		return policy.Request{}, err
	}
	req := policy.Request{Language: string(language), Level: f.level, Profile: f.profile, StartMode: f.mode, Privileged: os.Geteuid() == 0}
	if req.Code, err = readProgram(name, stdin); err != nil {
		return req, err
	}
	if f.given("deny") {
		req.Deny = strings.Split(f.deny, ",")
	}
	if f.given("timeout") {
		ms := f.timeout.Milliseconds()
		req.Limits.TimeoutMS = &ms
	}
	if f.given("memory") {
		req.Limits.MaxMemoryMB = &f.memory
	}
	return req, nil
}

// languageOf goes by the flag, and else by the file's ending.
func languageOf(flag, file string) (policy.Language, error) {
	if flag != "" {
		if language, ok := policy.ParseLanguage(flag); ok {
			return language, nil
		}
		return "", fmt.Errorf("unknown language %q; there are python and javascript", flag)
	}
	switch filepath.Ext(file) {
	case ".py":
		return policy.Python, nil
	case ".js", ".cjs", ".mjs":
		return policy.JavaScript, nil
	}
	if file == "" || file == "-" {
		file = "stdin"
	}
	return "", fmt.Errorf("no ending of %s tells the language: use --language python or --language javascript", file)
}

// readProgram reads no more of a file than a program may have.
func readProgram(name string, in io.Reader) (string, error) {
	if name == "" || name == "-" {
		name = "stdin"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	code, err := io.ReadAll(io.LimitReader(in, policy.MaxCodeBytes+1))
	if err != nil {
		return "", err
	}
	switch {
	case len(code) == 0:
		return "", fmt.Errorf("%s is empty", name)
	case len(code) > policy.MaxCodeBytes:
		return "", fmt.Errorf("%s has more than %d bytes, the maximum of code", name, policy.MaxCodeBytes)
	}
	return string(code), nil
}

// usageError is a mistake in what the caller gave us, not in the program.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// engine is what runs and checks: the daemon, or a Runner of our own.
type engine interface {
	policy.Executor
	policy.Checker
}

// open prefers the daemon; root can do without one. done gives back what it
// took.
func (f *runFlags) open(ctx context.Context, req *policy.Request, log io.Writer) (e engine, done func(), err error) {
	daemon := client.New(f.socket)
	err = daemon.Ping(ctx)
	if err == nil {
		return daemon, daemon.Close, nil
	}
	daemon.Close()
	// Whoever names a socket alone wants the daemon there, and its ceilings.
	if os.Geteuid() != 0 || f.given("socket") && !f.given("config") {
		return nil, nil, unreachable(f.socket, err)
	}
	conf, err := loadConfig(f.config)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	all, err := conf.profiles()
	if err != nil {
		return nil, nil, &usageError{err}
	}
	name := req.Language
	if f.profile == profiles.PythonFull {
		all, name = profiles.WithPythonFull(all), f.profile
	}
	req.Ceiling = conf.ceiling(uint32(os.Geteuid()), uint32(os.Getegid()))
	// Before the images are built, which takes a second.
	if _, err := policy.Resolve(*req, all[name]); err != nil {
		return nil, nil, err
	}
	runner, err := conf.runner(ctx, all, spares{}, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return nil, nil, err
	}
	return &local{runner}, runner.Close, nil
}

// local is a Runner of this process. What the program printed is looked at here,
// where a daemon's broker would.
type local struct{ *nsjail.Runner }

func (l *local) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	result, err := l.Runner.Execute(ctx, req)
	if err == nil {
		result.ResultJSON = policy.ResultJSON(result.Stdout, result.StdoutTruncated)
	}
	return result, err
}

// unreachable says which of the usual reasons it is.
func unreachable(socket string, err error) error {
	why := "start one with `safe-exec serve`, or run this as root without --socket"
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return fmt.Errorf("no daemon answers on %s: %w", socket, err)
	}
	if errno == syscall.EACCES {
		why = "join the group that owns the socket, or run this as root"
	}
	return fmt.Errorf("no daemon answers on %s: %w: %s", socket, errno, why)
}
