package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/lease"
)

// served is a daemon of a test's own.
type served struct {
	socket string
	cmd    *exec.Cmd
	told   chan string   // what it says to the service manager
	ended  chan struct{} // closed when it was reaped
	stdout bytes.Buffer  // after ended
	log    syncBuffer
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// newSocket is a path for a socket, in a directory that others may enter.
func newSocket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "safe-exec-socket-") // short: a socket's path has 107 bytes
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return filepath.Join(dir, "s")
}

// newState is a state directory that the broker may pass through.
func newState(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "safe-exec-state-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return filepath.Join(dir, "s")
}

// launch starts a daemon without waiting until it serves. At the test's end it
// must have ended or end in order.
func launch(t *testing.T, socket string, args ...string) *served {
	t.Helper()
	return launchBy(t, nil, socket, args...)
}

// launchBy starts it through a program that becomes it.
func launchBy(t *testing.T, by []string, socket string, args ...string) *served {
	t.Helper()
	d := &served{socket: socket, told: make(chan string, 16), ended: make(chan struct{})}
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { manager.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := manager.Read(b)
			if err != nil {
				return
			}
			d.told <- string(b[:n])
		}
	}()
	line := slices.Concat(by, []string{binary, "serve", "--socket", socket, "--state-dir", stateDir}, args)
	d.cmd = exec.Command(line[0], line[1:]...)
	d.cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+manager.LocalAddr().String())
	d.cmd.Stdout, d.cmd.Stderr, d.cmd.Dir = &d.stdout, &d.log, "/"
	require.NoError(t, d.cmd.Start())
	go func() { defer close(d.ended); _ = d.cmd.Wait() }()
	t.Cleanup(func() {
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
		d.wait(t)
		assert.Empty(t, d.stdout.String(), "the daemon has nothing to say on stdout")
		if t.Failed() {
			t.Log(d.lastLines())
		}
	})
	return d
}

// start is launch, and returns when the daemon has said that it is ready.
func start(t *testing.T, args ...string) *served {
	t.Helper()
	return startAt(t, newSocket(t), args...)
}

// noSpares is a configuration in which every jail is a run's.
const noSpares = "spares: {floor: 0, ceiling: 0}\n"

func startAlone(t *testing.T) *served {
	t.Helper()
	return start(t, "--config", program(t, "alone.yaml", noSpares))
}

func startAt(t *testing.T, socket string, args ...string) *served {
	t.Helper()
	d := launch(t, socket, args...)
	d.expect(t, "READY=1")
	return d
}

// expect waits for a word to the service manager.
func (d *served) expect(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-d.told:
		require.Equal(t, want, got)
	case <-d.ended:
		require.FailNow(t, "the daemon ended", "%s", d.lastLines())
	case <-time.After(patience):
		require.FailNow(t, "the daemon does not say "+want, "%s", d.lastLines())
	}
}

func (d *served) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, d.cmd.Process.Signal(s))
}

// wait is for the daemon's end.
func (d *served) wait(t *testing.T) syscall.WaitStatus {
	t.Helper()
	select {
	case <-d.ended:
	case <-time.After(patience):
		_ = d.cmd.Process.Kill()
		require.FailNow(t, "the daemon does not end", "%s", d.lastLines())
	}
	return d.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// parents are the daemon's cgroups, as its lease names them.
func (d *served) parents(t *testing.T) []string {
	t.Helper()
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", d.cmd.Process.Pid))
	require.NoError(t, err)
	for _, fd := range fds {
		target, _ := os.Readlink(fd) // one that was closed meanwhile is not it
		if strings.HasPrefix(target, lease.Dir+"/slot-") {
			text, err := os.ReadFile(target)
			require.NoError(t, err)
			return strings.Fields(string(text))
		}
	}
	require.FailNow(t, "the daemon holds no lease")
	return nil
}

// groups are cgroups as they were when a test looked. A name alone says little:
// whoever starts next, beside this test, takes the names that a daemon has left.
type groups map[string]os.FileInfo

// groups are the daemon's own, with all that is below.
func (d *served) groups(t *testing.T) groups {
	t.Helper()
	all := make(groups)
	for _, parent := range d.parents(t) {
		err := filepath.WalkDir(parent, func(path string, e os.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				var info os.FileInfo
				if info, err = os.Stat(path); err == nil {
					all[path] = info
				}
			}
			if errors.Is(err, os.ErrNotExist) && path != parent {
				return nil // a leaf that was removed meanwhile
			}
			return err
		})
		require.NoError(t, err)
	}
	return all
}

// left are those that there still are.
func (g groups) left(t *testing.T) (dirs []string) {
	t.Helper()
	for dir, was := range g {
		now, err := os.Stat(dir)
		if err == nil && os.SameFile(was, now) {
			dirs = append(dirs, dir)
		} else if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
	}
	return dirs
}

// leaves are the cgroups of runs, by directory, each with its processes.
func leaves(parents []string) map[string][]int {
	found := make(map[string][]int)
	for _, parent := range parents {
		files, _ := filepath.Glob(parent + "/*/cgroup.procs")
		for _, file := range files {
			text, _ := os.ReadFile(file) // a leaf that was removed meanwhile has none
			dir := filepath.Dir(file)
			found[dir] = nil
			for _, word := range strings.Fields(string(text)) {
				if pid, err := strconv.Atoi(word); err == nil {
					found[dir] = append(found[dir], pid)
				}
			}
		}
	}
	return found
}

// awaitRuns returns the processes of n runs or more, each with its init and
// program: jails that wait and templates among them, where there are any.
func (d *served) awaitRuns(t *testing.T, n int) (pids map[int]bool, dirs []string) {
	t.Helper()
	parents := d.parents(t)
	require.Eventually(t, func() bool {
		pids, dirs = make(map[int]bool), nil
		full := 0
		// A thread of the spawner is inside for the time of a clone.
		spawner := childrenOf(t, d.cmd.Process.Pid)
		for dir, inside := range leaves(parents) {
			dirs = append(dirs, dir)
			inside = slices.DeleteFunc(inside, func(pid int) bool { return spawner[pid] })
			if len(inside) >= 2 {
				full++
			}
			for _, pid := range inside {
				pids[pid] = true
			}
		}
		return full >= n*len(parents)
	}, patience, 10*time.Millisecond, "no %d runs in %v", n, parents)
	return pids, dirs
}

func (d *served) pid() string { return strconv.Itoa(d.cmd.Process.Pid) }

// logged waits for a text in the log, which comes through a pipe.
func (d *served) logged(t *testing.T, want string) {
	t.Helper()
	assert.Eventually(t, func() bool { return strings.Contains(d.log.String(), want) }, patience, 10*time.Millisecond,
		"%q in the log: %s", want, d.lastLines())
}

// lastLines is the end of the log, for a test that fails: a daemon under load says
// thousands of lines, and the cause is rarely among the first.
func (d *served) lastLines() string {
	const most = 60
	lines := strings.SplitAfter(d.log.String(), "\n")
	if over := len(lines) - most; over > 0 {
		return fmt.Sprintf("(%d lines before)\n%s", over, strings.Join(lines[over:], ""))
	}
	return strings.Join(lines, "")
}

// wholeLog ends the daemon and gives all it has logged.
func (d *served) wholeLog(t *testing.T) string {
	t.Helper()
	d.signal(t, syscall.SIGTERM)
	d.wait(t)
	return d.log.String()
}
