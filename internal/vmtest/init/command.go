package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/internal/vmtest/console"
)

// environment is all that a command finds; SAFEEXEC_VM makes tests fail where
// they would skip on a poorer host.
var environment = []string{
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	"HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8", "SAFEEXEC_VM=1",
}

// grace is how long what a command left may take to die before it counts as
// left behind: kills are asynchronous and slow under emulation.
const grace = 2 * time.Second

var errUnkillable = errors.New("processes survive SIGKILL")

// run runs one command to its end, reaps every orphan meanwhile as a real
// process 1 does, and clears away what is left. The error is about the
// machine, not the command's verdict.
func run(c console.Command) (console.Report, error) {
	report := console.Report{Name: c.Name, Exit: console.NotStarted}
	before, err := survey()
	if err != nil {
		return report, err
	}
	start := time.Now()
	proc, printed, err := launch(c)
	if err != nil {
		return report, err
	}
	timeout := time.Duration(c.TimeoutMS) * time.Millisecond
	end, timedOut, err := reapUntil(proc.Pid, start.Add(timeout))
	report.Took, report.Timeout = time.Since(start), timedOut
	report.Exit = status(end)
	if err != nil {
		return report, err
	}
	report.Left, err = leftBehind(before)
	// With every process gone all write ends of the pipe are closed.
	<-printed
	return report, err
}

// launch starts the command with its output on a pipe. The channel closes when
// all of the output is printed.
func launch(c console.Command) (*os.Process, <-chan struct{}, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("pipe: %w", err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, errors.Join(err, r.Close(), w.Close())
	}
	proc, err := os.StartProcess(c.Argv[0], c.Argv, &os.ProcAttr{
		Dir:   c.Dir,
		Env:   append(append([]string(nil), environment...), c.Env...),
		Files: []*os.File{null, w, w},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	_ = null.Close()
	_ = w.Close()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("start: %w", err), r.Close())
	}
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		defer func() { _ = r.Close() }()
		if err := prefixLines(os.Stdout, r); err != nil {
			fmt.Println(console.NoteLine("output: " + err.Error()))
		}
	}()
	return proc, printed, nil
}

// reapUntil waits for every child and orphan until pid is among them, and
// kills all processes at the deadline.
func reapUntil(pid int, deadline time.Time) (unix.WaitStatus, bool, error) {
	timer := time.AfterFunc(time.Until(deadline), func() { _ = unix.Kill(-1, unix.SIGKILL) })
	defer timer.Stop()
	for {
		var ws unix.WaitStatus
		got, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, false, fmt.Errorf("wait: %w", err)
		case got == pid:
			return ws, !time.Now().Before(deadline), nil
		}
	}
}

func status(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return -int(ws.Signal())
	}
	return ws.ExitStatus()
}
