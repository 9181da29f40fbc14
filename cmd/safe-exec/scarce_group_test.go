package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/cgroup"
)

// newGroup is a cgroup v1 of the test's own in one hierarchy, for a daemon and all of
// its jails, and what a shell needs to become a daemon in it.
func newGroup(t *testing.T, controller string) (dir string, by []string) {
	t.Helper()
	report, err := cgroup.Probe(cgroup.Options{})
	require.NoError(t, err)
	if report.Version != cgroup.V1 {
		t.Skip("needs cgroup v1: on v2 a test cannot give its own children controllers while it is in their parent")
	}
	for _, base := range report.Base {
		if strings.HasPrefix(base, "/sys/fs/cgroup/"+controller) {
			dir = filepath.Join(base, "scarce-"+strconv.Itoa(os.Getpid()))
		}
	}
	require.NotEmpty(t, dir)
	require.NoError(t, os.Mkdir(dir, 0o755))
	t.Cleanup(func() { // behind the daemon's own, which ends it
		eventually(t, func() bool {
			err := syscall.Rmdir(dir)
			return err == nil || errors.Is(err, syscall.ENOENT)
		}, "%s cannot be removed", dir)
	})
	return dir, []string{"sh", "-c", "echo $$ > " + dir + `/cgroup.procs && exec "$@"`, "sh"}
}

func set(t *testing.T, dir, file, value string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(value), 0))
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// Programs that take all the tasks that they can get take none of the daemon's.
func TestADaemonWithoutProcessesRefusesRuns(t *testing.T) {
	t.Parallel()
	dir, by := newGroup(t, "pids")
	set(t, dir, "pids.max", "120")
	d := launchBy(t, by, newSocket(t), "--config", program(t, "c.yaml", noSpares+"runs: 40\nothers: {runs: 40}\n"))
	d.expect(t, "READY=1")
	broker := d.broker(t)
	all := d.crowd(t, 40)
	right, refused := rightOrRefused(t, all)
	t.Logf("%d right, %d refused", right, refused)
	assert.Positive(t, right)
	assert.Positive(t, refused)
	for _, r := range all {
		if r.HTTP == http.StatusServiceUnavailable && r.Step != "init" { // an init without threads ends without a word
			assert.Contains(t, r.Detail, "resource temporarily unavailable", "%+v", r)
		}
	}
	d.serves(t)
	d.leavesNothing(t)
	assert.Equal(t, broker, d.broker(t), "it has lost nothing")
}

// Whom the kernel ends when memory runs out above the runs is a program.
func TestMemoryThatRunsOutAboveTheRunsEndsProgramsAndNoDaemon(t *testing.T) {
	t.Parallel()
	dir, by := newGroup(t, "memory")
	set(t, dir, "memory.limit_in_bytes", "500M")
	d := launchBy(t, by, newSocket(t), "--config", program(t, "c.yaml", noSpares+"runs: 8\nothers: {runs: 8}\n"))
	d.expect(t, "READY=1")
	broker := d.broker(t)
	executor := score(t, d.cmd.Process.Pid)
	assert.Greater(t, score(t, broker), executor, "the broker goes first: it is replaced")
	for pid := range childrenOf(t, d.cmd.Process.Pid) {
		if pid != broker {
			assert.Equal(t, executor, score(t, pid), "the spawner is the daemon")
		}
	}

	var large, small []reply
	var wg sync.WaitGroup
	ask := func(into *[]reply, code string) {
		var mu sync.Mutex
		for range 4 {
			wg.Go(func() {
				a := impatient(d.socket)
				for range 3 {
					r := a.call("/v1/tools/safe-exec", map[string]any{
						"language": "python", "code": code, "limits": map[string]any{"max_memory_mb": 256, "timeout_ms": 20000},
					})
					mu.Lock()
					*into = append(*into, r)
					mu.Unlock()
				}
			})
		}
	}
	ask(&large, "import time\nx = bytearray(200 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\ntime.sleep(0.3)\nprint('large')")
	ask(&small, "print('small')")
	wg.Wait()
	t.Log(read(t, dir, "memory.oom_control"), read(t, dir, "memory.failcnt"))
	ended := endsOf(t, large, "large\n")
	assert.Positive(t, ended, "there was memory for all")
	t.Logf("%d of %d large programs and %d of %d small ones were ended", ended, len(large), endsOf(t, small, "small\n"), len(small))
	assert.Equal(t, broker, d.broker(t))
	d.serves(t)
	d.leavesNothing(t)
}

// endsOf counts who was told that the host has no memory; all others must be right.
func endsOf(t *testing.T, all []reply, want string) (ended int) {
	t.Helper()
	for _, r := range all {
		switch r.HTTP {
		case http.StatusOK:
			assert.Equal(t, want, r.Stdout, "%+v", r)
		case http.StatusServiceUnavailable:
			ended++
			assert.Contains(t, []string{"unavailable", "setup_error"}, r.Code, "%+v", r)
			assert.NotEmpty(t, r.Step)
		case http.StatusTooManyRequests:
			assert.NotEmpty(t, r.Reason)
		default:
			t.Errorf("%+v", r)
		}
	}
	return ended
}

func score(t *testing.T, pid int) int {
	t.Helper()
	n, err := strconv.Atoi(read(t, fmt.Sprintf("/proc/%d", pid), "oom_score_adj"))
	require.NoError(t, err)
	return n
}
