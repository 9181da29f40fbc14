package benchmark

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"safe-exec/policy"
)

// Ways to run a program that every comparison has.
const (
	wayBare = "bare"
	wayOurs = "safe-exec"
	wayCold = "cold" // through the daemon, which is asked to start the interpreter for it
)

// program is one text, run in several ways.
type program struct {
	figure   string
	name     string
	language Language
	code     string
	level    string // empty for the default
	want     string // stdout; empty until the first way that ran it has said
}

// way is one manner to run a program. Its metrics are nil where no daemon is
// asked.
type way struct {
	name    string
	run     func(context.Context, *program) (*policy.Metrics, error)
	command func(Language) []string // nil where no command is run
}

// bare runs the interpreter and nothing else.
func bare() way {
	return wrapped(wayBare, func(Language) []string { return nil })
}

// wrapped runs the interpreter behind a command of another sandbox.
func wrapped(name string, prefix func(Language) []string) way {
	line := func(l Language, text string) []string {
		return append(append(append([]string{}, prefix(l)...), l.Bare...), text)
	}
	return way{
		name: name,
		run: func(ctx context.Context, p *program) (*policy.Metrics, error) {
			out, err := command(ctx, line(p.language, p.code))
			if err != nil {
				return nil, fmt.Errorf("%s, %s %s: %w", name, p.language.Name, p.name, err)
			}
			return nil, p.check(name, out)
		},
		command: func(l Language) []string { return line(l, "PROGRAM") },
	}
}

// command runs a command line with an empty environment and gives its stdout.
// The error has the end of its stderr.
func command(ctx context.Context, line []string) (string, error) {
	var out, words bytes.Buffer
	cmd := exec.Cmd{Path: line[0], Args: line, Env: []string{}, Stdout: &out, Stderr: &words}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil {
		text := strings.TrimSpace(words.String())
		return "", fmt.Errorf("%w: %s", err, text[max(0, len(text)-300):])
	}
	return out.String(), nil
}

// through runs it by the daemon; mode is empty for the daemon's choice.
func through(name, mode string, e policy.Executor) way {
	limit := int64(30_000) // ms, the most that the default profiles allow
	return way{name: name, run: func(ctx context.Context, p *program) (*policy.Metrics, error) {
		result, err := e.Execute(ctx, policy.Request{
			Language: p.language.Name, Code: p.code, Level: p.level, StartMode: mode,
			Limits: policy.LimitsRequest{TimeoutMS: &limit},
		})
		if err != nil {
			return nil, err
		}
		if result.Status != policy.Succeeded {
			return nil, fmt.Errorf("%s, %s %s: %s: %s; stderr %q",
				name, p.language.Name, p.name, result.Status, result.Termination.Reason, result.Stderr)
		}
		return &result.Metrics, p.check(name, result.Stdout)
	}}
}

func (p *program) check(way, out string) error {
	if p.want == "" {
		p.want = out
	}
	if out != p.want || out == "" {
		return fmt.Errorf("%s, %s %s: printed %q, not %q", way, p.language.Name, p.name, out, p.want)
	}
	return nil
}

// timed runs once and gives the milliseconds.
func (w way) timed(ctx context.Context, p *program) (float64, *policy.Metrics, error) {
	begin := time.Now()
	m, err := w.run(ctx, p)
	return policy.Millis(time.Since(begin)), m, err
}
