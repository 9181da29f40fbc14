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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/hosttest"
	"safe-exec/internal/wiring"
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

	notices string // the directory of the socket by which it tells
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

// newState is a state directory that the broker may pass through. What is compiled of
// the library is there already.
func newState(t *testing.T) string {
	t.Helper()
	require.NoError(t, compile())
	dir, err := os.MkdirTemp("", "safe-exec-state-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	state := filepath.Join(dir, "s")
	require.NoError(t, os.Mkdir(state, 0o700))
	require.NoError(t, os.Symlink(filepath.Join(stateDir, wiring.CacheName), filepath.Join(state, wiring.CacheName)))
	return state
}

// compile fills the cache of stateDir, which takes seconds, for all profiles that a
// test may serve.
var compile = sync.OnceValue(func() error {
	config := filepath.Join(filepath.Dir(binary), "compile.yaml")
	if err := os.WriteFile(config, []byte("state_dir: "+stateDir+"\n"), 0o600); err != nil {
		return err
	}
	cmd := invocation{}.command("run", "--socket", "/nope", "--config", config, "--profile", "python-full", "--language", "py", "-")
	cmd.Stdin = strings.NewReader("pass")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the library: %w: %s", err, out)
	}
	return nil
})

// begin starts a daemon in the state directory that --state-dir names. Who begins one
// ends it, and then removes its directory of notices.
func (i invocation) begin(socket string, args ...string) (d *served, err error) {
	d = &served{socket: socket, told: make(chan string, 16), ended: make(chan struct{})}
	if d.notices, err = os.MkdirTemp("", "safe-exec-notices-"); err != nil {
		return nil, err
	}
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(d.notices, "s"), Net: "unixgram"})
	if err != nil {
		return nil, err
	}
	d.cmd = i.command(append([]string{"serve", "--socket", socket}, args...)...)
	d.cmd.Env = append(d.cmd.Env, "NOTIFY_SOCKET="+manager.LocalAddr().String())
	d.cmd.Stdout, d.cmd.Stderr = &d.stdout, &d.log
	if err := d.cmd.Start(); err != nil {
		manager.Close()
		return nil, err
	}
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
	go func() {
		defer close(d.ended)
		defer manager.Close()
		_ = d.cmd.Wait()
	}()
	return d, nil
}

// launch starts a daemon without waiting until it serves, in a state directory of its
// own where no other is named. At the test's end it must have ended or end in order.
func (i invocation) launch(t *testing.T, socket string, args ...string) *served {
	t.Helper()
	if !slices.Contains(args, "--state-dir") {
		args = append([]string{"--state-dir", newState(t)}, args...)
	}
	d, err := i.begin(socket, args...)
	require.NoError(t, err)
	t.Cleanup(func() {
		defer os.RemoveAll(d.notices)
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
		d.wait(t)
		assert.Empty(t, d.stdout.String(), "the daemon has nothing to say on stdout")
		if t.Failed() {
			t.Log(d)
		}
	})
	return d
}

func launch(t *testing.T, socket string, args ...string) *served {
	t.Helper()
	return invocation{}.launch(t, socket, args...)
}

// launchBy starts it through a program that becomes it.
func launchBy(t *testing.T, by []string, socket string, args ...string) *served {
	t.Helper()
	return invocation{by: by}.launch(t, socket, args...)
}

// start is launch, and returns when the daemon has said that it is ready.
func start(t *testing.T, args ...string) *served {
	t.Helper()
	return startAt(t, newSocket(t), args...)
}

// noSpares is a configuration in which every jail is a run's. Spares and templates
// cost a processor a second at each start: daemons of tests that are not about them
// have none.
const noSpares = "spares: {floor: 0, ceiling: 0}\n"

// startAlone starts a daemon without spares, with the rest of its configuration.
func startAlone(t *testing.T, config ...string) *served {
	t.Helper()
	return start(t, "--config", program(t, "alone.yaml", noSpares+strings.Join(config, "")))
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
	var got string
	eventually(t, func() bool {
		select {
		case got = <-d.told:
			return true
		case <-d.ended:
			require.FailNow(t, "the daemon ended", "%s", d)
		default:
		}
		return false
	}, "the daemon does not say %s: %s", want, d)
	require.Equal(t, want, got)
}

func (d *served) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, d.cmd.Process.Signal(s))
}

// wait is for the daemon's end.
func (d *served) wait(t *testing.T) syscall.WaitStatus {
	t.Helper()
	defer func() { _ = d.cmd.Process.Kill() }() // one that does not end
	hosttest.Receive(t, patience, d.ended, "the daemon does not end: %s", d)
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
	eventually(t, func() bool {
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
	}, "no %d runs in %v: %s", n, parents, d)
	return pids, dirs
}

func (d *served) pid() string { return strconv.Itoa(d.cmd.Process.Pid) }

// said says whether a text is in the log.
func (d *served) said(want string) bool { return strings.Contains(d.log.String(), want) }

// logged waits for a text in the log, which comes through a pipe.
func (d *served) logged(t *testing.T, want string) {
	t.Helper()
	eventually(t, func() bool { return d.said(want) }, "no %q in the log: %s", want, d)
}

// String is the end of the log, for a test that fails: a daemon under load says
// thousands of lines, and the cause is rarely among the first.
func (d *served) String() string {
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

// without wants no line of a text to hold what it must not, and shows the first that does.
func without(t *testing.T, text, never string) {
	t.Helper()
	for line := range strings.Lines(text) {
		require.NotContains(t, line, never)
	}
}
