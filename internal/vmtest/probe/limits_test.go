//go:build vmtest

package probe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestLimitsHold(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		name   string
		limits map[string]string
		role   string
		ending int
		file   string // counter that has to stand at least at 1, or at 0
		key    string
		counts bool
	}{
		{"a child over memory.max is killed and the kill is counted",
			map[string]string{"memory.max": "67108864", "memory.swap.max": "0", "memory.oom.group": "1"},
			"eat", -int(unix.SIGKILL), "memory.events", "oom_kill", true},
		{"a child within memory.max ends by itself and no kill is counted",
			map[string]string{"memory.max": "134217728"},
			"touch", 0, "memory.events", "oom_kill", false},
		{"a child over pids.max gets EAGAIN and the refusal is counted",
			map[string]string{"pids.max": "32"},
			"fork", int(unix.EAGAIN), "pids.events", "max", true},
		{"a child within pids.max is refused nothing",
			map[string]string{"pids.max": "64"},
			"exit", 0, "pids.events", "max", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := newLeaf(t, row.limits)
			cmd, _ := l.start(row.role, 0)
			assert.Equal(t, row.ending, ending(t, cmd.Wait()))
			assert.Equal(t, row.counts, l.counter(row.file, row.key) > 0, l.read(row.file))
			peak := l.number("memory.peak")
			assert.Greater(t, peak, int64(mib/4), "memory.peak")
			if limit := row.limits["memory.max"]; limit != "" {
				most, err := strconv.ParseInt(limit, 10, 64)
				require.NoError(t, err)
				// A dying task is charged beyond the limit so that it can die.
				assert.LessOrEqual(t, peak, most+mib, "memory.peak")
			}
			assert.Positive(t, l.counter("cpu.stat", "usage_usec"))
		})
	}
}

func TestKillEmptiesTheLeaf(t *testing.T) {
	l := newLeaf(t, map[string]string{"pids.max": "32"})
	cmd, _ := l.start("fork", 0)
	assert.Equal(t, int(unix.EAGAIN), ending(t, cmd.Wait()))
	require.Equal(t, int64(1), l.counter("cgroup.events", "populated"), "orphans live on")
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "cgroup.kill"), []byte("1"), 0))
	l.waitEmpty()
	assert.Empty(t, l.read("cgroup.procs"))
	// The machine's init reaps the orphans, which frees their place.
	require.Eventually(t, func() bool { return l.number("pids.current") == 0 },
		10*time.Second, 10*time.Millisecond, "pids.current")
}

// cgroup.kill of Linux 6.1 signals the first thread alone, so a process that
// has let it end lives on; a kill by process id reaches it. Whoever empties a
// leaf has to do both, whichever of the two this kernel answers to.
func TestKillByIDReachesAProcessWithoutItsFirstThread(t *testing.T) {
	l := newLeaf(t, nil)
	cmd, _ := l.start("headless", 0)
	pid := strconv.Itoa(cmd.Process.Pid)
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err == nil && strings.Contains(string(stat), ") Z ")
	}, 10*time.Second, time.Millisecond, "the first thread does not end")
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "cgroup.kill"), []byte("1"), 0))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Log("cgroup.kill alone reaches it on this kernel")
		assert.Equal(t, -int(unix.SIGKILL), ending(t, err))
		return
	case <-time.After(2 * time.Second):
		t.Log("cgroup.kill alone does not reach it on this kernel")
	}
	assert.Equal(t, int64(1), l.counter("cgroup.events", "populated"))
	assert.Equal(t, pid, l.read("cgroup.procs"), "the list still shows it")
	require.NoError(t, unix.Kill(cmd.Process.Pid, unix.SIGKILL))
	select {
	case err := <-ended:
		assert.Equal(t, -int(unix.SIGKILL), ending(t, err))
	case <-time.After(10 * time.Second):
		require.Fail(t, "kill by process id was not enough")
	}
	l.waitEmpty()
}

func TestCPUQuotaThrottles(t *testing.T) {
	l := newLeaf(t, map[string]string{"cpu.max": "20000 100000", "memory.max": "33554432", "memory.swap.max": "0"})
	cmd, _ := l.start("eat", 0)
	assert.Equal(t, -int(unix.SIGKILL), ending(t, cmd.Wait()))
	assert.Positive(t, l.counter("cpu.stat", "nr_throttled"), l.read("cpu.stat"))
}

func TestChildIsBornInTheLeafWithAllNamespaces(t *testing.T) {
	all := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP)
	for _, row := range []struct {
		name   string
		flags  uintptr
		pid1   bool
		cgroup string // as the child sees itself
	}{
		{"without namespaces it sees its full cgroup path", 0, false, "leaf"},
		{"with the seven it is pid 1 and sees the root of its leaf", all, true, "0::/"},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := newLeaf(t, nil)
			cmd, out := l.start("whoami", row.flags)
			require.Equal(t, 0, ending(t, cmd.Wait()))
			t.Log(strings.TrimSpace(out.String()))
			var pid, uid int
			var ns, cgroup string
			for field := range strings.FieldsSeq(out.String()) {
				key, value, _ := strings.Cut(field, "=")
				switch key {
				case "pid":
					pid, _ = strconv.Atoi(value)
				case "uid":
					uid, _ = strconv.Atoi(value)
				case "ns":
					ns = value
				case "cgroup":
					cgroup = value
				}
			}
			mine, err := os.Readlink("/proc/self/ns/pid")
			require.NoError(t, err)
			assert.Equal(t, 0, uid)
			assert.Equal(t, row.pid1, pid == 1, "pid %d", pid)
			assert.Equal(t, row.pid1, ns != mine, "pid namespace")
			want := row.cgroup
			if want == "leaf" {
				want = "0::" + strings.TrimPrefix(l.dir, cgroupRoot)
			}
			assert.Equal(t, want, cgroup)
		})
	}
}
