package cgroup

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestV1(t *testing.T) {
	need(t, V1)
	t.Run("every limit is in the kernel's file", v1Files)
	t.Run("a group with the OOM killer off above passes it on to no leaf", v1KillerOff)
	t.Run("kill spares a starter that has joined, and not its child", v1Starter)
	t.Run("a thread of a starter is told from a member", v1Confirmed)
	t.Run("a limit that the kernel refuses leaves no leaf", v1Refused)
	t.Run("a leaf that a thread stays in is quarantined until it leaves", v1Quarantine)
}

func v1Files(t *testing.T) {
	h := open(t)
	l := leaf(t, h, Limits{MemoryBytes: 64 << 20, Pids: 17, CPUPercent: 150})
	b := h.backend.(*v1)
	for _, tc := range []struct {
		controller, file string
		want             int64
	}{
		{memory, "memory.limit_in_bytes", 64 << 20},
		{memory, "memory.memsw.limit_in_bytes", 64<<20 + int64(os.Getpagesize())},
		{memory, "memory.swappiness", 0},
		{pids, "pids.max", 17},
		{cpu, "cpu.cfs_period_us", 100_000},
		{cpu, "cpu.cfs_quota_us", 150_000},
	} {
		t.Run(tc.file, func(t *testing.T) {
			got, err := read(filepath.Join(b.dir(tc.controller, l.name), tc.file), parseNumber)
			if tc.file == "memory.memsw.limit_in_bytes" && !b.swap {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
	control, err := read(filepath.Join(b.dir(memory, l.name), "memory.oom_control"), parseKeyed)
	require.NoError(t, err)
	assert.Zero(t, control["oom_kill_disable"])
}

func v1KillerOff(t *testing.T) {
	h := open(t)
	b := h.backend.(*v1)
	control := filepath.Join(b.group(memory).dir, "memory.oom_control")
	require.NoError(t, writeFile(control, "1"))
	again, err := newV1(h.parents)
	require.NoError(t, err)
	h.backend = again
	l := leaf(t, h, roomy)
	got, err := read(filepath.Join(b.dir(memory, l.name), "memory.oom_control"), parseKeyed)
	require.NoError(t, err)
	assert.Zero(t, got["oom_kill_disable"])
}

// stay puts a thread of this process into the leaf until leave is called.
func stay(t *testing.T, l *Leaf, meanwhile func() error) (leave func()) {
	t.Helper()
	j, err := l.Joiner()
	require.NoError(t, err)
	joined, quit, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go offFirstThread(func() {
		done <- inLeaf(j, func() error {
			err := meanwhile()
			close(joined)
			<-quit
			return err
		})
	})
	<-joined
	return func() {
		close(quit)
		require.NoError(t, <-done)
		require.NoError(t, j.Close())
	}
}

func v1Starter(t *testing.T) {
	l := leaf(t, open(t), roomy)
	cmd := command("sleep")
	leave := stay(t, l, cmd.Start)
	pids, err := readPids(l.dirs[0])
	require.NoError(t, err)
	require.ElementsMatch(t, []int{os.Getpid(), cmd.Process.Pid}, pids)

	require.NoError(t, l.Kill())
	_ = cmd.Wait()
	assert.True(t, cmd.ProcessState.Sys() != nil && !cmd.ProcessState.Success())
	leave()
	require.NoError(t, l.WaitEmpty(soon(t)))
}

// v1Confirmed looks at the rule itself: in the product the starter is another
// process than the killer, here its own number would spare it anyway.
func v1Confirmed(t *testing.T) {
	l := leaf(t, open(t), roomy)
	leave := stay(t, l, func() error { return nil })
	defer leave()
	for _, tc := range []struct {
		name string
		w    whom
		want bool
	}{
		{"a leaf's kill spares it", spareStarters, false},
		{"a sweep takes it", killStarters, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			member, err := confirmed(l.dirs[0], tc.w)
			require.NoError(t, err)
			assert.Equal(t, tc.want, member(os.Getpid()))
		})
	}
}

func v1Refused(t *testing.T) {
	h := open(t)
	b := h.backend.(*v1)
	// A child may have no larger share of the processor than its parent.
	require.NoError(t, writeFile(filepath.Join(b.group(cpu).dir, "cpu.cfs_quota_us"), "10000"))
	var err error
	printed := printedBy(t, func() { _, err = h.NewLeaf("refused", roomy) })
	require.ErrorIs(t, err, unix.EINVAL)
	assert.ErrorContains(t, err, "limit leaf refused")
	assert.Empty(t, printed)
	for _, d := range b.dirs("refused") {
		assert.NoDirExists(t, d)
	}
}

func v1Quarantine(t *testing.T) {
	h := open(t)
	l, err := h.NewLeaf("stuck", roomy)
	require.NoError(t, err)
	leave := stay(t, l, func() error { return nil })
	began := time.Now()
	require.ErrorIs(t, l.Close(), ErrQuarantined)
	assert.Less(t, time.Since(began), 20*time.Second, "it waits for a while, not for the thread")
	require.NoError(t, l.Close(), "a second Close does nothing")
	assert.Equal(t, 1, h.Quarantined())

	other, err := h.NewLeaf("other", roomy)
	require.NoError(t, err, "a stuck leaf must not stop new ones")
	assert.Equal(t, 1, h.Quarantined())
	require.ErrorIs(t, h.Close(), ErrQuarantined)

	leave()
	end(t, other)
	next, err := h.NewLeaf("next", roomy)
	require.NoError(t, err)
	assert.Zero(t, h.Quarantined())
	for _, d := range l.dirs {
		assert.NoDirExists(t, d)
	}
	end(t, next)
}
