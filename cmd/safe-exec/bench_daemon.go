package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"safe-exec/httpapi/client"
	"safe-exec/internal/benchmark"
	"safe-exec/policy"
)

// startDaemon starts this very program as a daemon of its own, with all that it
// writes below dir, and waits until it answers.
func startDaemon(ctx context.Context, dir, config string, log io.Writer) (*benchmark.Daemon, error) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the broker passes through
		return nil, err
	}
	socket, file, state := dir+"/socket", dir+"/config.yaml", dir+"/state"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	// A file, and no pipe: each line would wake this process, which is measuring.
	words, err := os.OpenFile(dir+"/log", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer words.Close()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{"safe-exec", "serve", "--config", file, "--socket", socket, "--state-dir", state}, Stderr: words}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	starting, ended := context.WithCancelCause(ctx)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ended(fmt.Errorf("it ended: %w", cmd.Wait()))
	}()
	c := client.New(socket)
	stop := func() {
		c.Close()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-gone:
		case <-time.After(2 * time.Second): // something runs, which a second signal ends
			_ = cmd.Process.Signal(syscall.SIGTERM)
			<-gone
		}
	}
	d, err := describeDaemon(starting, c)
	if err != nil {
		stop()
		if _, err := words.Seek(0, io.SeekStart); err == nil {
			_, _ = io.Copy(log, words)
		}
		return nil, fmt.Errorf("the daemon did not answer: %w", err)
	}
	d.Pid, d.Stop = cmd.Process.Pid, stop
	d.Submit = func(ctx context.Context, req policy.Request) error {
		_, err := c.Submit(ctx, req, client.SubmitOptions{})
		return err
	}
	d.Other = client.NewDialed(socket, func(context.Context) (net.Conn, error) { return dialAs(otherUID, socket) })
	return d, nil
}

func describeDaemon(ctx context.Context, c *client.Client) (*benchmark.Daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := c.Ping(ctx)
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	p, err := c.Posture(ctx)
	if err != nil {
		return nil, err
	}
	return &benchmark.Daemon{Executor: c, FirstUID: p.UIDs.First, UIDs: p.UIDs.Count, CgroupParent: p.CgroupParent, CgroupVersion: p.Cgroup}, nil
}
