package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/httpapi"
	"safe-exec/httpapi/client"
	"safe-exec/internal/battery"
	"safe-exec/nsjail/escape"
	"safe-exec/policy"
)

// daemon finds the daemon, and the namespaces in which this process is not with
// it.
func (f *escapeFlags) daemon(ctx context.Context) (peer httpapi.Peer, apart []string, err error) {
	daemon := client.New(f.socket)
	defer daemon.Close()
	peer, err = battery.Find(ctx, daemon)
	var e *policy.Error
	switch {
	case errors.As(err, &e) && e.Code == policy.CodeUnavailable:
		return peer, nil, unreachable(f.socket, err)
	case err != nil:
		return peer, nil, err
	}
	apart, err = battery.Apart(peer)
	return peer, apart, err
}

// enterable are the namespaces that a process can be started in, mounts last:
// the others are entered by files of this one's /proc.
var enterable = []string{"net", "ipc", "uts", "cgroup", "mnt"}

// insideEnv marks a process that was started in the daemon's namespaces, so that
// it does not start another.
const insideEnv = "SAFE_EXEC_ESCAPE_INSIDE"

// configFD is where that process finds the configuration: its path may mean
// another file there, or none.
const configFD = 3

// inside runs the battery in the daemon's namespaces, by another process of this
// program. systemd gives a service a /tmp and a network of its own, and what is
// planted elsewhere no jail of it could ever reach.
func (f *escapeFlags) inside(ctx context.Context, peer httpapi.Peer, apart []string, std stdio) (*escape.Report, error) {
	for _, name := range apart {
		if !slices.Contains(enterable, name) || os.Getenv(insideEnv) != "" {
			return nil, fmt.Errorf("the daemon is in another %s namespace, which cannot be entered from here", name)
		}
	}
	args := []string{
		"escape", "--json", "--socket", f.socket, "--probe", f.only, "--severity", f.severities,
		"--policy", f.levels, "--parallel", strconv.Itoa(f.parallel),
	}
	//nolint:forbidigo // Cancel needs it; the path is absolute and Env is set
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	if f.config != "" {
		file, err := os.Open(f.config)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		cmd.ExtraFiles = []*os.File{file}
		args = append(args, "--config", "/proc/self/fd/"+strconv.Itoa(configFD))
	}
	cmd.Args = append([]string{os.Args[0]}, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = &out, std.err, "/", append(os.Environ(), insideEnv+"=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	err := runIn(cmd, int(peer.PID), apart)
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == exitFailed) {
		return nil, fmt.Errorf("escape: in the daemon's namespaces (%s): %w", strings.Join(apart, ", "), err)
	}
	var report escape.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		return nil, fmt.Errorf("escape: the report from the daemon's namespaces: %w", err)
	}
	return &report, nil
}

// runIn runs a command to its end, in namespaces of another process.
func runIn(cmd *exec.Cmd, pid int, names []string) error {
	var files []*os.File
	for _, name := range enterable {
		if !slices.Contains(names, name) {
			continue
		}
		file, err := os.Open(fmt.Sprintf("/proc/%d/ns/%s", pid, name))
		if err != nil {
			return err
		}
		defer file.Close()
		files = append(files, file)
	}
	done := make(chan error)
	go func() {
		// Never unlocked: the thread is of no use elsewhere and ends here. Until
		// then it lives, since its end would be the parent's to the command.
		runtime.LockOSThread()
		done <- func() error {
			// Who shares its root and working directory may enter no mounts.
			if err := unix.Unshare(unix.CLONE_FS); err != nil {
				return fmt.Errorf("unshare: %w", err)
			}
			for _, file := range files {
				if err := unix.Setns(int(file.Fd()), 0); err != nil {
					return fmt.Errorf("setns %s: %w", file.Name(), err)
				}
			}
			return cmd.Run()
		}()
	}()
	return <-done
}
