package lease

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func none([]string) error { return nil }

func take(t *testing.T, dir string, stale func([]string) error) *Lease {
	t.Helper()
	l, err := Take(dir, DefaultRange, stale)
	require.NoError(t, err)
	return l
}

func TestTwoHoldersShareNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lease")
	a, b := take(t, dir, none), take(t, dir, none)
	defer a.Close(true)
	defer b.Close(true)
	assert.NotEqual(t, a.CgroupName(), b.CgroupName())
	seen := map[uint32]bool{}
	for _, l := range []*Lease{a, b} {
		for {
			p, err := l.TakePair()
			if err != nil {
				require.ErrorIs(t, err, ErrNoUIDs)
				break
			}
			for _, uid := range []uint32{p.Init, p.Payload} {
				require.False(t, seen[uid], "uid %d handed out twice", uid)
				require.GreaterOrEqual(t, uid, DefaultRange.First)
				require.Less(t, uid, DefaultRange.First+DefaultRange.Count)
				seen[uid] = true
			}
		}
	}
}

func TestAPairRestsBeforeItIsUsedAgain(t *testing.T) {
	l := take(t, filepath.Join(t.TempDir(), "lease"), none)
	defer l.Close(true)
	first, err := l.TakePair()
	require.NoError(t, err)
	l.GivePair(first)
	for range l.pairs - 2 { // one is nobody's, one is taken
		next, err := l.TakePair()
		require.NoError(t, err)
		require.NotEqual(t, first, next)
	}
	last, err := l.TakePair()
	require.NoError(t, err)
	assert.Equal(t, first, last)
}

func TestOnlyADeadHoldersParentsAreSwept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lease")
	live, dead := take(t, dir, none), take(t, dir, none)
	require.NoError(t, live.Record([]string{"/live"}))
	require.NoError(t, dead.Record([]string{"/dead/a", "/dead/b"}))
	require.NoError(t, dead.file.Close()) // as a killed process leaves it
	var swept [][]string
	next := take(t, dir, func(parents []string) error { swept = append(swept, parents); return nil })
	defer next.Close(true)
	defer live.Close(true)
	assert.Equal(t, [][]string{{"/dead/a", "/dead/b"}}, swept)
	assert.Equal(t, dead.Slot, next.Slot)
}

// The form of a slot's file stays: it may be from a daemon of an earlier version.
func TestTheSlotOfAReleasedVersionIsSwept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lease")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "slot-00"), []byte("/sys/fs/cgroup/memory/safe-exec-00\n/sys/fs/cgroup/pids/safe-exec-00\n"), 0o600))
	var swept []string
	l := take(t, dir, func(parents []string) error { swept = parents; return nil })
	defer l.Close(true)
	assert.Equal(t, []string{"/sys/fs/cgroup/memory/safe-exec-00", "/sys/fs/cgroup/pids/safe-exec-00"}, swept)
}

func TestASlotThatCannotBeSweptIsNotUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lease")
	dead := take(t, dir, none)
	require.NoError(t, dead.Record([]string{"/dead"}))
	require.NoError(t, dead.file.Close())
	next := take(t, dir, func([]string) error { return os.ErrPermission })
	defer next.Close(true)
	assert.NotEqual(t, dead.Slot, next.Slot)
}

func TestADirectoryThatOthersMayWriteIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lease")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Chmod(dir, 0o777))
	_, err := Take(dir, DefaultRange, none)
	require.ErrorContains(t, err, "only root may write")
}

func TestTheParentIsOpenAndTheLeasesAreNot(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "run")
	old := unix.Umask(0o077)
	l := take(t, filepath.Join(parent, "lease"), none)
	unix.Umask(old)
	defer l.Close(true)
	for path, want := range map[string]os.FileMode{parent: 0o755, filepath.Join(parent, "lease"): 0o700} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode().Perm(), path)
	}
}

func TestARangeWithUIDZeroIsRefused(t *testing.T) {
	_, err := Take(t.TempDir(), Range{First: 0, Count: 1 << 20}, none)
	require.Error(t, err)
	_, err = Take(t.TempDir(), Range{First: 1<<32 - 100, Count: 1 << 20}, none)
	require.Error(t, err, "a range that wraps around to 0")
}
