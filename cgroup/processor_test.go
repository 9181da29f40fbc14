package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestProcessorTimeStandsStillWhileNothingRuns(t *testing.T) {
	l := leaf(t, open(t), Limits{MemoryBytes: 64 << 20, Pids: 60, CPUPercent: 100})
	cmd := command("await")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	wait := start(t, l, cmd)
	// A busy machine may keep it from its pause for any time, in which it uses none either.
	var asleep time.Duration
	alike := 0
	require.Eventually(t, func() bool {
		now, err := l.CPUTime()
		if alike++; assert.NoError(t, err) && (now != asleep || !waitsForInput(cmd.Process.Pid)) {
			alike = 0
		}
		asleep = now
		return alike == 20
	}, 20*time.Second, time.Millisecond)
	assert.Positive(t, asleep)
	u, err := l.Usage()
	require.NoError(t, err)
	assert.Equal(t, asleep, u.CPUUser+u.CPUSystem)
	require.NoError(t, in.Close())
	wait()
	awake, err := l.CPUTime()
	require.NoError(t, err)
	assert.Greater(t, awake, asleep)
}

// waitsForInput says that no thread of a process is on a processor or wants one, and
// none will before there is input: one reads, all others wait for it. The kernel tells
// of a call only where the thread is off its processor (/proc/<pid>/syscall).
func waitsForInput(pid int) bool {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	reads := 0
	for _, file := range files {
		text, failed := os.ReadFile(file)
		call, _, _ := strings.Cut(string(text), " 0x")
		switch {
		case failed != nil:
			return false
		case call == fmt.Sprint(unix.SYS_READ):
			reads++
		case call != fmt.Sprint(unix.SYS_FUTEX):
			return false
		}
	}
	return err == nil && reads == 1
}

func TestProcessorQuotaThrottles(t *testing.T) {
	// Less than any process gets on a busy machine, too.
	l := leaf(t, open(t), Limits{MemoryBytes: 64 << 20, Pids: 60, CPUPercent: 4})
	begin := time.Now()
	start(t, l, command("spin", "2s"))()
	wall := time.Since(begin) // more than 2 s where the machine is busy
	u, err := l.Usage()
	require.NoError(t, err)
	// 4 %; a period of 100 ms is the slack.
	used := u.CPUUser + u.CPUSystem
	assert.Less(t, used, wall/25+150*time.Millisecond)
	assert.Greater(t, used, 10*time.Millisecond)
	assert.Greater(t, u.Throttled, 300*time.Millisecond)
}
