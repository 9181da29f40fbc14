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
	*remote
	*inputs
	language, level, deny, profile, mode, config, key string
	timeout                                           time.Duration
	memory                                            int64
	check, asJSON, stream, async                      bool
}

func newRunFlags() *runFlags {
	f := &runFlags{flags: newFlags("run", "[FILE|- [ARGUMENT...]]",
		"ARGUMENTs are the program's; -- goes before those that begin with a dash. Its stdin is empty without --stdin.\n"+
			"exit status: 0 succeeded, 1 the program failed, "+wrongUsage+", 3 a limit or the policy ended it, "+ourFailure+", or a file could not be written\n"+
			"with --check: 0 it would run, 1 it has a syntax error, "+wrongUsage+", 3 the policy or a limit refuses it, "+ourFailure+"\n"+
			"with --async: 0 the job was taken; safe-exec jobs wait gives its end")}
	f.StringVar(&f.language, "language", "", "`L`: python or javascript (default: by the file's ending)")
	f.StringVar(&f.level, "policy", "", "import policy `P`, as safe-exec policy lists them (default: the profile's)")
	f.StringVar(&f.deny, "deny", "", "modules to deny beyond that policy: `NAMES` with commas between")
	f.BoolVar(&f.check, "check", false, "only say whether the program would run, and what it imports")
	f.StringVar(&f.profile, "profile", "", "profile `NAME`, for root: python-full has the whole standard library")
	f.StringVar(&f.mode, "start-mode", "", "`M`, for root: cold, warm or fork (default: what is fastest)")
	f.DurationVar(&f.timeout, "timeout", 0, "time limit `D`, such as 3s (default: the profile's)")
	f.Int64Var(&f.memory, "memory", 0, "memory limit in `MB` (default: the profile's)")
	f.BoolVar(&f.asJSON, "json", false, "print the result object instead of the program's output")
	f.BoolVar(&f.stream, "stream", false, "print output while the program runs")
	f.BoolVar(&f.async, "async", false, "leave the program to the daemon and print the id of its job; see safe-exec jobs")
	f.StringVar(&f.key, "key", "", "with --async: `KEY` makes a repeated call the same job")
	f.inputs, f.remote, f.rest = f.flags.inputs(), f.flags.remote(), true
	f.StringVar(&f.config, "config", "", "configuration `FILE`, for root when nobody listens on the socket, also on one that was named")
	return f
}

// run executes one program: through the daemon when its socket answers, else,
// as root, in this process.
func run(args []string, std stdio) int {
	f := newRunFlags()
	if status, done := f.parse(args, 1, std); done {
		return status
	}
	f.shown = f.asJSON
	if err := f.together(); err != nil {
		std.complain(err)
		return exitUsage
	}
	req, err := f.request(std.in)
	if err == nil {
		err = f.lookOut()
	}
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.async {
		return f.submit(ctx, req, std)
	}
	e, done, err := f.open(ctx, &req, std.err)
	if err != nil {
		return explain(std, err)
	}
	defer done()
	if f.check {
		return f.printCheck(ctx, e, req, std)
	}
	show, finish := printResult, func() {}
	if f.stream {
		live := newLivePrinter(std)
		req.Watch, show, finish = live.hear, live.verdict, live.finish
	}
	result, err := e.Execute(ctx, req)
	finish() // before anything is said of how it ended
	switch {
	case client.HungUp(err):
		status := explain(std, err)
		std.hint("the program was waiting or running, and how it would have ended is not known; a job (--async) survives this")
		return status
	case err != nil:
		return explain(std, err)
	}
	f.unread(std)
	if f.asJSON {
		return f.bringBack(std, result, printJSON(std, result, exitStatus(result)))
	}
	return f.bringBack(std, result, show(std, result))
}

// together refuses flags that mean different things to be printed.
func (f *runFlags) together() error {
	program := f.Arg(0)
	for _, row := range []struct {
		both bool
		what string
	}{
		{f.check && f.stream, "--check and --stream do not go together"},
		{f.check && f.async, "--check and --async do not go together"},
		{f.check && f.out != "", "--check and --out do not go together"},
		{f.stream && f.asJSON, "--stream and --json do not go together"},
		{f.stream && f.async, "--stream and --async do not go together"},
		{f.async && f.out != "", "--async and --out do not go together; safe-exec jobs wait has --out"},
		{f.Changed("key") && !f.async, "--key is for --async"},
		{f.Changed("socket") && f.url != "", "--socket and --url do not go together"},
		{f.stdin == "-" && (program == "" || program == "-"), "--stdin - and a program from stdin: only one of the two can have it"},
	} {
		if row.both {
			return errors.New("run: " + row.what)
		}
	}
	return nil
}

// submit prints the id of a job and nothing else.
func (f *runFlags) submit(ctx context.Context, req policy.Request, std stdio) int {
	daemon, err := f.connect(ctx)
	if err != nil {
		return explain(std, err)
	}
	defer daemon.Close()
	job, err := daemon.Submit(ctx, req, client.SubmitOptions{Key: f.key})
	switch {
	case client.HungUp(err):
		status := explain(std, err)
		std.hint("whether it took the job is not known; safe-exec jobs list tells, and with --key a repeated call makes no second one")
		return status
	case err != nil:
		return explain(std, err)
	}
	f.unread(std)
	if f.asJSON {
		return printJSON(std, shown(job), exitOK)
	}
	fmt.Fprintln(std.out, job.ID)
	return exitOK
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
	if f.Changed("deny") {
		req.Deny = strings.Split(f.deny, ",")
	}
	if f.Changed("timeout") {
		if req.Limits.TimeoutMS, err = wholeMilliseconds(f.timeout); err != nil {
			return req, err
		}
	}
	if f.Changed("memory") {
		req.Limits.MaxMemoryMB = &f.memory
	}
	if err := f.read(&req, stdin); err != nil {
		return req, err
	}
	if f.NArg() > 1 {
		more := f.Args()[1:]
		if more[0] == "--" {
			more = more[1:]
		}
		req.Input.Args = append(req.Input.Args, more...)
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
	daemon, err := f.connect(ctx)
	if err == nil {
		return daemon, daemon.Close, nil
	}
	if !f.replaced(err) {
		return nil, nil, err
	}
	if os.Geteuid() != 0 {
		return nil, nil, fmt.Errorf("%w; as root, run needs no daemon", err)
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
	if req.Ceiling, req.CeilingLimits, err = conf.ceilings(ourselves()); err != nil {
		return nil, nil, err
	}
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
