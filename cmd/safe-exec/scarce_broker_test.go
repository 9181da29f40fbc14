package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/hosttest"
)

// logInto starts a daemon whose log is a pipe of the test's. full says that nothing
// fits in any more.
func logInto(t *testing.T, full bool) (*served, *os.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	pipe, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { pipe.Close() })
	if full {
		fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
		require.NoError(t, err)
		for err == nil {
			_, err = syscall.Write(fd, make([]byte, 4096))
		}
		require.ErrorIs(t, err, syscall.EAGAIN)
		require.NoError(t, syscall.Close(fd))
	}
	d := launchBy(t, []string{"sh", "-c", `exec "$@" 2>` + path, "sh"}, newSocket(t), "--config", program(t, "c.yaml", noSpares))
	d.expect(t, "READY=1")
	return d, pipe
}

func TestALogThatNobodyReadsHoldsUpNothing(t *testing.T) {
	t.Parallel()
	d, pipe := logInto(t, true)
	d.serves(t)
	a := impatient(d.socket)
	for range 2 * logLines { // one line each
		require.Equal(t, http.StatusOK, a.call("/healthz", nil).HTTP)
	}
	d.serves(t)

	told := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(pipe)
		lines.Buffer(nil, 2<<20)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "lines of the log were lost") {
				told <- true
				break
			}
		}
		_, _ = io.Copy(io.Discard, pipe)
	}()
	hosttest.Receive(t, patience, told, "who reads the log again is not told that lines are missing")
}

func TestADaemonEndsInOrderThoughNobodyReadsItsLog(t *testing.T) {
	t.Parallel()
	d, _ := logInto(t, true)
	d.serves(t)
	d.signal(t, syscall.SIGTERM)
	assert.Zero(t, d.wait(t).ExitStatus())
}

func TestALogWhoseReaderIsGoneEndsNothing(t *testing.T) {
	t.Parallel()
	d, pipe := logInto(t, false)
	broker := d.broker(t)
	require.NoError(t, pipe.Close())
	d.serves(t)
	d.serves(t)
	assert.Equal(t, broker, d.broker(t))
}

// standStill stops a process until the test ends. The signal is only the order: a
// thread on another processor goes on until it next enters the kernel.
func standStill(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	eventually(t, func() bool {
		states, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		require.NoError(t, err)
		for _, name := range states {
			text, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(text, []byte(") T ")) {
				return false
			}
		}
		return len(states) > 0
	}, "process %d does not stop", pid)
}

// What stands still is not dead: its callers wait as long as they like, and nothing
// is lost when it goes on.
func TestABrokerThatStandsStillForATimeIsLeftAlone(t *testing.T) {
	t.Parallel()
	d := startAlone(t, "runs: 4\n")
	broker := d.broker(t)
	const runs = 3 // what one caller may have at once
	var all []reply
	done := make(chan struct{})
	go func() {
		defer close(done)
		all = atOnce(d.socket, runs, func(i int) string { return gated(fmt.Sprintf("print(%d)", i)) })
	}()
	d.awaitGates(t, runs)
	standStill(t, broker)

	short := newAgent(d.socket)
	short.Timeout = time.Second
	answer := short.call("/healthz", nil)
	assert.True(t, os.IsTimeout(answer.Err), "it is the caller's own time-out that ends his wait, not %+v", answer)
	stop := d.openGates(t)
	parents := d.parents(t)
	eventually(t, func() bool { return len(leaves(parents)) == 0 }, "its runs do not end meanwhile: %s", d)
	stop()
	select {
	case <-done:
		t.Errorf("who has answered? %+v", all)
	case <-time.After(3 * time.Second): // it may stand still for long
	}
	require.NoError(t, syscall.Kill(broker, syscall.SIGCONT))
	<-done
	right, refused := rightOrRefused(t, all)
	assert.Equal(t, []int{runs, 0}, []int{right, refused})
	assert.Equal(t, broker, d.broker(t))
}

func TestABrokerThatDiesUnderLoad(t *testing.T) {
	t.Parallel()
	d := startAlone(t, "runs: 2\n")
	a := impatient(d.socket)
	var ids []string
	for i := range 8 {
		code := fmt.Sprintf("import time\ntime.sleep(0.4)\nprint(%d)", i)
		if i < 2 { // these run when it dies
			code = gated(fmt.Sprintf("print(%d)", i))
		}
		id, err := a.submit(fmt.Sprint("key", i), code)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	var waiting []reply
	var wg sync.WaitGroup
	wg.Go(func() { waiting = atOnce(d.socket, 2, func(int) string { return gated("") }) })
	d.awaitGates(t, 4) // two of each kind
	pids, _ := d.awaitRuns(t, 4)
	running := watch(t, pids)
	require.NoError(t, syscall.Kill(d.broker(t), syscall.SIGKILL))
	running.allGone(t)
	wg.Wait()
	for _, r := range waiting {
		assert.Zero(t, r.HTTP, "%+v", r)
		assert.Error(t, r.Err, "a connection that ends, and no verdict")
	}
	defer d.openGates(t)()
	d.serves(t)
	again := 0
	for i, id := range ids {
		_, result, err := a.verdict(id)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("%d\n", i), result.Stdout)
		if result.Metrics.Attempt > 1 {
			again++
		}
	}
	assert.Equal(t, 2, again, "what ran has run again")
	assert.Contains(t, d.metrics(t), "\nsafe_exec_broker_restarts 1\n")
}

func (d *served) metrics(t *testing.T) string {
	t.Helper()
	a := impatient(d.socket)
	defer a.CloseIdleConnections()
	resp, err := a.Get("http://safe-exec/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text)
}
