package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
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
	"safe-exec/internal/wiring"
	"safe-exec/policy"
)

type runFlags struct {
	language, level, socket, config string
	timeout                         time.Duration
	memory                          int64
	asJSON                          bool
}

// run executes one program: through the daemon when its socket answers, else,
// as root, in this process.
func run(args []string, std stdio) int {
	var f runFlags
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.SetOutput(std.err)
	fs.StringVar(&f.language, "language", "", "python or javascript (default: by the file's ending)")
	fs.StringVar(&f.level, "policy", "", "import policy: strict or relaxed (default: the profile's)")
	fs.StringVar(&f.socket, "socket", defaultSocket, "the daemon's socket")
	fs.StringVar(&f.config, "config", "", "configuration file, when no daemon answers")
	fs.DurationVar(&f.timeout, "timeout", 0, "time limit, such as 3s (default: the profile's)")
	fs.Int64Var(&f.memory, "memory", 0, "memory limit in MB (default: the profile's)")
	fs.BoolVar(&f.asJSON, "json", false, "print the result object instead of the program's output")
	fs.Usage = func() {
		fmt.Fprintln(std.err, "usage: safe-exec run [FLAGS] [FILE|-]")
		fs.PrintDefaults()
		fmt.Fprintln(std.err, "exit status: 0 succeeded, 1 the program failed, 2 usage, 3 a limit or the policy ended it, 125 our fault")
	}
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	req, err := f.request(fs, std.in)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	executor, done, err := f.executor(ctx, std.err)
	if err != nil {
		std.complain(err)
		return exitOurs
	}
	defer done()
	result, err := executor.Execute(ctx, req)
	if err != nil {
		return explain(std, err)
	}
	if f.asJSON {
		return printJSON(std, result)
	}
	return printResult(std, result)
}

func (f runFlags) request(fs *flag.FlagSet, in io.Reader) (policy.Request, error) {
	req := policy.Request{Language: f.language, Level: f.level, Privileged: os.Geteuid() == 0}
	if fs.NArg() > 1 {
		return req, fmt.Errorf("one program at a time, not %d", fs.NArg())
	}
	name := fs.Arg(0)
	if req.Language == "" {
		switch filepath.Ext(name) {
		case ".py":
			req.Language = string(policy.Python)
		case ".js", ".cjs", ".mjs":
			req.Language = string(policy.JavaScript)
		default:
			return req, errors.New("the file's ending does not tell the language: use --language python or --language javascript")
		}
	}
	if name != "" && name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return req, err
		}
		defer file.Close()
		in = file
	}
	code, err := io.ReadAll(io.LimitReader(in, policy.MaxCodeBytes+1))
	if err != nil {
		return req, err
	}
	req.Code = string(code)
	fs.Visit(func(set *flag.Flag) {
		switch set.Name {
		case "timeout":
			ms := f.timeout.Milliseconds()
			req.Limits.TimeoutMS = &ms
		case "memory":
			req.Limits.MaxMemoryMB = &f.memory
		}
	})
	return req, nil
}

// executor prefers the daemon; root can do without one.
func (f runFlags) executor(ctx context.Context, log io.Writer) (policy.Executor, func(), error) {
	c := client.New(f.socket)
	err := c.Ping(ctx)
	if err == nil {
		return c, func() {}, nil
	}
	if os.Geteuid() != 0 {
		return nil, nil, fmt.Errorf("no daemon answers on %s (%w); start one with `safe-exec serve`, or run this as root", f.socket, err)
	}
	conf, err := loadConfig(f.config)
	if err != nil {
		return nil, nil, err
	}
	all, err := conf.profiles()
	if err != nil {
		return nil, nil, err
	}
	runner, err := wiring.Runner(ctx, wiring.Config{
		Profiles: all, StateDir: conf.StateDir, UIDs: conf.UIDs,
		EnableControllers: conf.EnableControllers,
		Log:               slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return nil, nil, err
	}
	return runner, runner.Close, nil
}

// explain prints an error of ours, or of the command line.
func explain(std stdio, err error) int {
	std.complain(err)
	var e *policy.Error
	if errors.As(err, &e) {
		switch e.Code {
		case policy.CodeInvalid, policy.CodeTooLarge, policy.CodeForbidden:
			return exitUsage
		}
	}
	return exitOurs
}

func printJSON(std stdio, result *policy.Result) int {
	e := json.NewEncoder(std.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(result); err != nil {
		std.complain(err)
		return exitOurs
	}
	return exitStatus(result)
}

func printResult(std stdio, result *policy.Result) int {
	io.WriteString(std.out, result.Stdout)
	io.WriteString(std.err, result.Stderr)
	if result.Status == policy.Succeeded {
		return exitOK
	}
	if result.Stderr != "" && !strings.HasSuffix(result.Stderr, "\n") {
		fmt.Fprintln(std.err)
	}
	t := result.Termination
	fmt.Fprintf(std.err, "safe-exec: %s: %s\n", result.Status, t.Reason)
	if t.Message != "" {
		fmt.Fprintf(std.err, "  line %d, column %d: %s\n", t.Line, t.Column, t.Message)
	}
	for _, v := range result.Violations {
		fmt.Fprintf(std.err, "  line %d, column %d: %s: %s\n", v.Line, v.Column, v.Rule, v.Message)
	}
	for _, d := range result.Denials {
		fmt.Fprintf(std.err, "  denied: %s, %d times\n", d.Syscall, d.Count)
	}
	fmt.Fprintf(std.err, "hint: %s\n", t.Hint)
	return exitStatus(result)
}

// exitStatus tells the program's own failure from what a limit or the policy
// did to it.
func exitStatus(result *policy.Result) int {
	switch result.Status {
	case policy.Succeeded:
		return exitOK
	case policy.TimedOut, policy.Rejected, policy.Cancelled:
		return exitLimited
	case policy.Failed:
		switch result.Termination.Reason {
		case policy.ReasonException, policy.ReasonExitNonzero, policy.ReasonSignal, policy.ReasonSyntaxError:
			return exitFailed
		}
		return exitLimited
	}
	return exitOurs
}
