// Command run boots the test machine with the module's VM suites and exits
// with 0 only if all of them passed with nothing skipped; 1 means a suite or
// the machine failed, 2 a wrong call.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"safe-exec/internal/vmtest"
)

func main() {
	module := flag.String("module", ".", "directory of the module")
	only := flag.String("suites", "", "regular expression: run only suites whose name matches")
	pattern := flag.String("run", "", "-test.run pattern in place of each suite's own")
	full := flag.Bool("full", false, "also the suites that take long")
	timeout := flag.Duration("timeout", time.Hour, "time-out of the machine's whole life")
	memory := flag.Int("memory", 2048, "memory of the machine, MiB")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "vmtest: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	suites, err := choose(vmtest.Suites, *only, *pattern, *full)
	if err != nil {
		fmt.Fprintf(os.Stderr, "vmtest: %v\n", err)
		os.Exit(2)
	}
	root, err := filepath.Abs(*module) // tools run in directories of their own
	if err != nil {
		fmt.Fprintf(os.Stderr, "vmtest: %v\n", err)
		os.Exit(2)
	}
	cache, err := os.UserCacheDir() // a new clone finds the kernel there
	if err != nil {
		fmt.Fprintf(os.Stderr, "vmtest: %v\n", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = vmtest.Run(ctx, vmtest.Config{
		Module: root, Cache: filepath.Join(cache, "safe-exec", "vmtest"),
		Suites: suites, Memory: *memory, Timeout: *timeout,
		KVM: os.Getenv(vmtest.KVMEnv) == "1", Show: os.Stdout,
	})
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "vmtest: FAILED\n%v\n", err)
		os.Exit(1)
	}
	fmt.Println("vmtest: passed")
}

func choose(all []vmtest.Suite, only, pattern string, full bool) ([]vmtest.Suite, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("-suites: %w", err)
	}
	var chosen []vmtest.Suite
	for _, s := range all {
		if match.MatchString(s.Label()) && (full || !s.Full) {
			if pattern != "" {
				s.Run = pattern
			}
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-suites %q matches none of the %d suites", only, len(all))
	}
	return chosen, nil
}
