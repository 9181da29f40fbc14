// Command run compares CPython's regression tests bare and in a jail, module
// by module, and exits with 0 only if no test differs but those that are
// listed; 1 means a difference or a run that failed, 2 a wrong call.
//
// Arguments name modules, such as test_json; none means all.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"safe-exec/internal/regrtest"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail/image"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
	"safe-exec/profiles"
)

func main() {
	modules := os.Args[1:]
	if len(modules) == 0 {
		modules = regrtest.Modules
	}
	for _, m := range modules {
		if !slices.Contains(regrtest.Modules, m) {
			fmt.Fprintf(os.Stderr, "regrtest: %s is not among %v\n", m, regrtest.Modules)
			os.Exit(2)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	differ, err := compare(ctx, modules, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "regrtest:", err)
	}
	if err != nil || differ > 0 {
		stop()
		os.Exit(1)
	}
}

// compare prints the comparison and gives the number of differences that are
// not listed.
func compare(ctx context.Context, modules []string, w io.Writer) (differ int, err error) {
	all, err := profiles.Default()
	if err != nil {
		return 0, err
	}
	python, version, err := image.Find(ctx, policy.Python, all[string(policy.Python)].Interpreter)
	if err != nil {
		return 0, err
	}
	if !regrtest.Installed(ctx, python) {
		return 0, fmt.Errorf("%s has no package test: install libpython3.11-testsuite", python)
	}
	state, err := os.MkdirTemp("", "regrtest-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(state)
	runner, err := wiring.Runner(ctx, wiring.Config{
		Profiles: map[string]policy.Profile{profiles.PythonFull: regrtest.Profile(all)},
		StateDir: state, UIDs: lease.DefaultRange,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return 0, err
	}
	defer runner.Close()
	listed, err := regrtest.Listed()
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(w, "%-22s %6s %6s %8s %7s %8s %8s\n", "Python "+version, "tests", "equal", "skipped", "differ", "bare s", "jail s")
	total := regrtest.Row{Module: "all"}
	for _, m := range modules {
		row, err := regrtest.Run(ctx, python, runner, m, listed)
		if err != nil {
			return differ, fmt.Errorf("%s: %w", m, err)
		}
		fmt.Fprintln(w, row)
		for _, d := range row.Differences {
			word := "DIFFERS"
			if d.Listed {
				word = "listed "
			} else {
				differ++
			}
			fmt.Fprintf(w, "    %s %s\n", word, d)
		}
		total.Add(row)
	}
	fmt.Fprintln(w, total)
	for _, name := range total.Idle(listed, modules) {
		fmt.Fprintf(w, "note: %s is listed and no longer differs\n", name)
	}
	fmt.Fprintf(w, "%d tests, %d differ as listed, %d differ; %s\n", total.Tests, len(total.Differences)-differ, differ, time.Now().Format(time.DateOnly))
	return differ, nil
}
