package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"safe-exec/httpapi/client"
	"safe-exec/internal/benchmark"
	"safe-exec/nsjail/image"
	"safe-exec/policy"
)

// bench measures this machine: bare interpreters and the daemon in turn, in one
// process, so that a machine whose speed drifts still gives honest ratios.
func bench(args []string, std stdio) int {
	fs := newFlags("bench", "", "")
	var o benchmark.Options
	fs.IntVar(&o.Rounds, "rounds", 100, "`N` runs of each case (default 100)")
	fs.IntVar(&o.Slices, "slices", 2, "`N` slices of throughput of each case (default 2)")
	o.Slice = 2 * time.Second
	fs.duration("slice", "length `D` of one slice (default 2s)", &o.Slice)
	asJSON := fs.Bool("json", false, "print the figures as JSON")
	if status, done := fs.parse(args, 0, std); done {
		return status
	}
	if o.Rounds < 1 || o.Slices < 0 || o.Slice <= 0 {
		std.complain(errors.New("bench: rounds and slice must be above 0, slices at least 0"))
		return exitUsage
	}
	report, err := runBench(context.Background(), o, std.err)
	if err != nil {
		std.complain(err)
		return exitOurs
	}
	if *asJSON {
		if err := json.NewEncoder(std.out).Encode(report); err != nil {
			return exitOurs
		}
		return exitOK
	}
	report.Print(std.out)
	return exitOK
}

func runBench(ctx context.Context, o benchmark.Options, log io.Writer) (*benchmark.Report, error) {
	dir, err := os.MkdirTemp("", "safe-exec-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	daemon, executor, err := startDaemon(ctx, filepath.Join(dir, "socket"), log)
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		_ = daemon.Wait()
	}()
	o.DaemonPid = daemon.Process.Pid
	all, err := defaultConfig().profiles()
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		language policy.Language
		code     string
		flags    []string
	}{
		{policy.Python, "print('hello')", []string{"-I", "-S", "-c"}},
		{policy.JavaScript, "console.log('hello')", []string{"-e"}},
	} {
		path, version, err := image.Find(ctx, c.language, all[string(c.language)].Interpreter)
		if err != nil {
			return nil, err
		}
		o.Cases = append(o.Cases, benchmark.Case{
			Name:    string(c.language) + " " + version,
			Bare:    append(append([]string{path}, c.flags...), c.code),
			Request: policy.Request{Language: string(c.language), Code: c.code}, Want: "hello\n",
		})
	}
	return benchmark.Run(ctx, o, executor)
}

// startDaemon starts this very program as a daemon of its own and waits until
// it answers.
func startDaemon(ctx context.Context, socket string, log io.Writer) (*exec.Cmd, *client.Client, error) {
	cmd := exec.Command("/proc/self/exe", "serve", "--socket", socket)
	var words bytes.Buffer // shown only if it does not start
	cmd.Stderr = &words
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	c := client.New(socket)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := c.Ping(ctx)
		if err == nil {
			return cmd, c, nil
		}
		select {
		case <-ctx.Done():
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			_, _ = words.WriteTo(log)
			return nil, nil, fmt.Errorf("the daemon did not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
