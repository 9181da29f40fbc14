package cgroup

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChildIsBornInItsLeaf(t *testing.T) {
	l := leaf(t, open(t), roomy)
	cmd := command("sleep")
	start(t, l, cmd)
	for _, dir := range l.dirs {
		pids, err := readPids(dir)
		require.NoError(t, err)
		assert.Equal(t, []int{cmd.Process.Pid}, pids, dir)
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", cmd.Process.Pid))
	require.NoError(t, err)
	assert.Subset(t, strings.Split(string(text), "\n"), l.Membership())
}

func TestMemoryBeyondTheLimitIsAnOOMKillThatTheCounterShows(t *testing.T) {
	for _, tc := range []struct {
		name     string
		allocate int64
		killed   bool
	}{
		{"half of the limit is granted", 32 << 20, false},
		{"twice the limit is killed", 128 << 20, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			limits := Limits{MemoryBytes: 64 << 20, Pids: 60, CPUPercent: 100}
			l := leaf(t, open(t), limits)
			state := start(t, l, command("allocate", fmt.Sprint(tc.allocate)))()
			require.NoError(t, l.WaitEmpty(soon(t)))
			u, err := l.Usage()
			require.NoError(t, err)
			status := state.Sys().(syscall.WaitStatus)
			assert.Equal(t, tc.killed, status.Signaled() && status.Signal() == syscall.SIGKILL, "status %v", status)
			assert.Equal(t, tc.killed, u.OOMKills > 0, "OOM kills: %d", u.OOMKills)
			assert.Equal(t, tc.killed, u.MemoryMaxEvents > 0, "limit hits: %d", u.MemoryMaxEvents)
			assert.Zero(t, u.PidsMaxEvents)
			if !u.PeakUnknown {
				assert.GreaterOrEqual(t, u.PeakMemoryBytes, min(tc.allocate, limits.MemoryBytes*9/10))
				// The kernel grants a dying task what it still needs.
				assert.LessOrEqual(t, u.PeakMemoryBytes, limits.MemoryBytes+1<<20)
			}
		})
	}
}

func TestForkFloodIsBoundedAndCounted(t *testing.T) {
	l := leaf(t, open(t), Limits{MemoryBytes: 512 << 20, Pids: 40, CPUPercent: 200})
	cmd := command("flood")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	start(t, l, cmd)
	var n int
	_, err = fmt.Fscan(bufio.NewReader(out), &n)
	require.NoError(t, err)
	assert.Less(t, n, 40)
	before, err := l.Usage()
	require.NoError(t, err)
	assert.Positive(t, before.PidsMaxEvents)

	require.NoError(t, l.Kill())
	require.NoError(t, l.WaitEmpty(soon(t)))
	after, err := l.Usage()
	require.NoError(t, err)
	assert.LessOrEqual(t, before.PidsMaxEvents, after.PidsMaxEvents)
}

func TestKillWinsAgainstProcessesThatForkWithoutEnd(t *testing.T) {
	l := leaf(t, open(t), crowded)
	wait := start(t, l, command("breed"))
	wait() // the first is gone, its children breed on
	first, err := readPids(l.dirs[0])
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		now, err := readPids(l.dirs[0])
		return err == nil && len(now) > 3 && !slices.ContainsFunc(now, func(p int) bool { return slices.Contains(first, p) })
	}, 20*time.Second, time.Millisecond, "a whole new generation must live when the kill comes")
	began := time.Now()
	require.NoError(t, l.Kill())
	require.NoError(t, l.WaitEmpty(soon(t)))
	t.Logf("empty after %v", time.Since(began))
	for _, dir := range l.dirs {
		pids, err := readPids(dir)
		require.NoError(t, err)
		assert.Empty(t, pids)
	}
}

func TestNothingIsBornInALeafAfterKill(t *testing.T) {
	l := leaf(t, open(t), roomy)
	require.NoError(t, l.Kill())
	_, err := startIn(l, command("sleep"))
	require.ErrorIs(t, err, syscall.EAGAIN)
	u, err := l.Usage()
	require.NoError(t, err)
	assert.Zero(t, u.PidsMaxEvents, "that refusal is ours")
}

func TestKillReachesAProcessWhoseFirstThreadHasEnded(t *testing.T) {
	l := leaf(t, open(t), roomy)
	cmd := command("headless")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	wait := start(t, l, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "headless\n", line)
	require.NoError(t, l.Kill())
	require.NoError(t, l.WaitEmpty(soon(t)))
	status := wait().Sys().(syscall.WaitStatus)
	assert.True(t, status.Signaled())
}

func TestWaitEmptyEndsWithItsContextWhileAProcessLives(t *testing.T) {
	l := leaf(t, open(t), roomy)
	start(t, l, command("sleep"))
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, l.WaitEmpty(ctx), context.DeadlineExceeded)
}

func TestLeafNamesAndLimitsAreChecked(t *testing.T) {
	h := open(t)
	good := Limits{MemoryBytes: 1 << 20, Pids: 1, CPUPercent: 1}
	for _, tc := range []struct {
		name   string
		leaf   string
		limits Limits
		wrong  string
	}{
		{"empty name", "", good, "name"},
		{"parent directory", "..", good, "name"},
		{"two path elements", "a/b", good, "name"},
		{"file of the kernel", "cgroup.procs", good, "name"},
		{"the other file of the kernel", "tasks", good, "name"},
		{"upper case", "A", good, "name"},
		{"option-like", "-a", good, "name"},
		{"too long", strings.Repeat("a", 65), good, "name"},
		{"no memory limit", "a", Limits{Pids: 1, CPUPercent: 1}, "MemoryBytes"},
		{"memory below a page", "a", Limits{MemoryBytes: 100, Pids: 1, CPUPercent: 1}, "MemoryBytes"},
		{"memory beyond any machine", "a", Limits{MemoryBytes: math.MaxInt64, Pids: 1, CPUPercent: 1}, "MemoryBytes"},
		{"no task limit", "a", Limits{MemoryBytes: 1 << 20, CPUPercent: 1}, "Pids"},
		{"negative task limit", "a", Limits{MemoryBytes: 1 << 20, Pids: -1, CPUPercent: 1}, "Pids"},
		{"no processor limit", "a", Limits{MemoryBytes: 1 << 20, Pids: 1}, "CPUPercent"},
		{"processor limit out of range", "a", Limits{MemoryBytes: 1 << 20, Pids: 1, CPUPercent: math.MaxInt64}, "CPUPercent"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := h.NewLeaf(tc.leaf, tc.limits)
			assert.ErrorContains(t, err, tc.wrong)
		})
	}
}

func TestLeafThatExistsIsNotAdoptedAndHalfMadeOnesAreUndone(t *testing.T) {
	h := open(t)
	l, err := h.NewLeaf("twice", roomy)
	require.NoError(t, err)
	_, err = h.NewLeaf("twice", roomy)
	require.ErrorIs(t, err, fs.ErrExist)
	for _, d := range l.dirs {
		assert.DirExists(t, d, "the first leaf must stand")
	}
	end(t, l)

	// The last of the directories is taken: those before it must go again.
	dirs := h.backend.dirs("half")
	last := dirs[len(dirs)-1]
	require.NoError(t, os.Mkdir(last, 0o755))
	_, err = h.NewLeaf("half", roomy)
	require.ErrorIs(t, err, fs.ErrExist)
	for _, d := range dirs[:len(dirs)-1] {
		assert.NoDirExists(t, d)
	}
	require.NoError(t, rmdir(last))
}

func TestTwoHundredLeavesInARowLeaveNothing(t *testing.T) {
	h := open(t)
	for i := range 200 {
		l, err := h.NewLeaf(fmt.Sprintf("row-%d", i), roomy)
		require.NoError(t, err)
		if i%20 == 0 {
			start(t, l, command("sleep"))
		}
		end(t, l)
	}
	assert.Zero(t, h.Quarantined())
	for _, p := range h.Paths() {
		left, err := filepath.Glob(p + "/*/")
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

func TestManyStartAndEndLeavesAtOnce(t *testing.T) {
	h := open(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 5 {
				l, err := h.NewLeaf(fmt.Sprintf("at-once-%d-%d", i, k), roomy)
				if !assert.NoError(t, err) {
					return
				}
				done, err := startIn(l, command("sleep"))
				assert.NoError(t, err)
				assert.NoError(t, l.Kill())
				assert.NoError(t, l.WaitEmpty(soon(t)))
				<-done
				_, err = l.Usage()
				assert.NoError(t, err)
				assert.NoError(t, l.Close())
			}
		})
	}
	all.Wait()
	assert.Zero(t, h.Quarantined())
}

func TestClosedLeafIsInert(t *testing.T) {
	h := open(t)
	l, err := h.NewLeaf("same", roomy)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	_, err = l.Usage()
	require.Error(t, err)

	next, err := h.NewLeaf("same", roomy)
	require.NoError(t, err)
	cmd := command("sleep")
	start(t, next, cmd)
	require.NoError(t, l.Kill())
	for _, dir := range next.dirs {
		pids, err := readPids(dir)
		require.NoError(t, err)
		assert.Equal(t, []int{cmd.Process.Pid}, pids, "the closed leaf must not reach its successor")
	}
	end(t, next)
}

func BenchmarkLeaf(b *testing.B) {
	h := open(b)
	for i := 0; b.Loop(); i++ {
		l, err := h.NewLeaf(fmt.Sprintf("leaf-%d", i), roomy)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
