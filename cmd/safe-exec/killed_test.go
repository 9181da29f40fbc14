package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/hosttest"
)

// watched are processes that a test holds by descriptor, so that none can be
// mistaken for a later one with its number.
type watched map[int]int

func watch(t *testing.T, pids map[int]bool) watched {
	t.Helper()
	w := make(watched)
	for pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err == unix.ESRCH {
			continue // it has ended by itself since it was seen
		}
		require.NoError(t, err, "process %d", pid)
		t.Cleanup(func() { unix.Close(fd) })
		w[pid] = fd
	}
	require.NotEmpty(t, w)
	return w
}

// promptly is far below the time of any program that a test ends, and far above what
// its end takes, a tenth of a second on a busy machine.
const promptly = 10 * time.Second

// allGone wants every one dead promptly and gives the time it took.
func (w watched) allGone(t *testing.T) time.Duration {
	t.Helper()
	begin := time.Now()
	for pid, fd := range w {
		gone := func() bool {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(tick.Milliseconds()))
			if err != unix.EINTR { // the runtime's own signal
				require.NoError(t, err)
			}
			return n == 1
		}
		hosttest.Eventually(t, promptly-time.Since(begin), 0, gone, "process %d lives: %s", pid, status(pid))
	}
	return time.Since(begin)
}

// status is what the kernel says of a process at the time it is asked for.
type status int

func (pid status) String() string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/status") // of one that has ended: nothing
	return string(text)
}

// childrenOf finds the processes whose parent is pid.
func childrenOf(t *testing.T, pid int) map[int]bool {
	t.Helper()
	text, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	require.NoError(t, err)
	found := make(map[int]bool)
	for _, path := range text {
		list, _ := os.ReadFile(path) // a thread that ended meanwhile has none
		for _, word := range strings.Fields(string(list)) {
			child, err := strconv.Atoi(word)
			require.NoError(t, err)
			found[child] = true
		}
	}
	return found
}

func TestAKilledDaemonLeavesNothingRunningAndTheNextOneSweeps(t *testing.T) {
	t.Parallel()
	state := newState(t)
	d := start(t, "--state-dir", state)
	const runs = 4
	var answers []chan outcome
	for _, code := range []string{
		"import time\ntime.sleep(29)",
		"while True: pass",
		"import time\nwhile True: print('x' * 1000); time.sleep(0.001)", // as fast as it can, it soon is over its limit
		"import time\nfor i in range(290): x = bytearray(1 << 20); time.sleep(0.1)",
	} {
		_, answer := sleeper(t, d, code)
		answers = append(answers, answer)
	}
	const spares = 2 // of each language one at the least, and whatever demand has asked for
	pids, _ := d.awaitRuns(t, runs+spares)
	first := d.groups(t)
	spawner := childrenOf(t, d.cmd.Process.Pid)
	require.Len(t, spawner, 2, "spawner and broker")
	for pid := range spawner {
		pids[pid] = true
	}
	require.GreaterOrEqual(t, len(pids), 2*(runs+spares)+2)
	all := watch(t, pids)

	d.signal(t, syscall.SIGKILL)
	assert.Equal(t, syscall.SIGKILL, d.wait(t).Signal())
	t.Logf("%d processes gone %v after the daemon", len(all), all.allGone(t))
	for _, answer := range answers {
		assert.Equal(t, outcome{code: 125}, <-answer, "no caller waits for ever, and none is told a verdict")
	}

	next := startAt(t, d.socket, "--state-dir", state)
	eventually(t, func() bool { return len(first.left(t)) == 0 }, "groups of the killed daemon are left: %s", next) // if not by that one, by another daemon
	got := invoke(t, "run", "--socket", d.socket, program(t, "p.py", "print('serves')"))
	assert.Equal(t, outcome{0, "serves\n", ""}, got)

	second := next.groups(t)
	next.signal(t, syscall.SIGTERM)
	assert.Zero(t, next.wait(t).ExitStatus())
	assert.Empty(t, second.left(t))
}

func TestADaemonWhoseSpawnerDiesEndsWithAnError(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	broker := d.broker(t)
	for pid := range childrenOf(t, d.cmd.Process.Pid) {
		if pid != broker {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	assert.Equal(t, 125, d.wait(t).ExitStatus(), "whoever supervises it must start it again")
	assert.True(t, d.said("the spawner process died"), "%s", d)
}
