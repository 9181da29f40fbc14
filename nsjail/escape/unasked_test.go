package escape

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// smallDisk is a place to plant with room for little, and the way to use it up.
func smallDisk(t *testing.T) (dir string, fill, empty func()) {
	t.Helper()
	dir = filepath.Join(ownTemp(t), "escape")
	require.NoError(t, os.Mkdir(dir, 0o711))
	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=0711"))
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	filler := filepath.Join(dir, "filler")
	return dir, func() {
		require.ErrorIs(t, os.WriteFile(filler, make([]byte, 128<<10), 0o600), unix.ENOSPC)
	}, func() { require.NoError(t, os.Remove(filler)) }
}

// A check that cannot be made says nothing of the sandbox, and must not be a way to
// end the service at once; nor may it be one to be believed for ever.
func TestWhenACheckCannotBeMade(t *testing.T) {
	const interval = 10 * time.Minute
	dir, fill, empty := smallDisk(t)
	now, says := time.Now(), notOut
	g, err := NewGuard(GuardConfig{Level: "relaxed", Dir: dir, Interval: interval, Executor: executor(func(r policy.Request) (*policy.Result, error) { return answering(says)(r) })})
	require.NoError(t, err)
	g.now = func() time.Time { return now }
	wants := func(held, unasked bool, wait time.Duration, why string) {
		t.Helper()
		s := g.Status()
		assert.Equal(t, held, s.Held, why)
		assert.Equal(t, unasked, s.Unasked != "", "%s: %s", why, s.Unasked)
		assert.Equal(t, wait, g.wait(), why)
		_, err := g.Execute(t.Context(), policy.Request{})
		assert.Equal(t, held, err == nil, why)
	}

	fill()
	g.Check(t.Context())
	wants(false, false, soon, "there was no answer yet that could stand")
	assert.Contains(t, g.Status().Detail, "no space left")
	empty()
	first := g.Check(t.Context())
	wants(true, false, interval, "with room again it is asked")

	fill()
	now = now.Add(interval)
	s := g.Check(t.Context())
	wants(true, true, soon, "the last answer stands")
	assert.Contains(t, s.Unasked, "no space left")
	assert.Equal(t, first.Time, s.Time, "the time is the answer's")
	now = now.Add(stands*interval + longest)
	wants(false, true, soon, "it does not stand for ever, though nobody asks")
	assert.Contains(t, g.Status().Detail, "no space left")
	g.Check(t.Context())
	wants(false, false, soon, "nor when somebody does")

	empty()
	g.Check(t.Context())
	now = now.Add(stands*interval + longest)
	wants(false, false, soon, "nor does one that held, where the next check does not end")
	g.Check(t.Context())
	wants(true, false, interval, "it comes back by itself")
	fill()
	g.Check(t.Context())
	wants(true, true, soon, "the last answer stands")
	empty()
	says = isOut
	g.Check(t.Context())
	wants(false, false, soon, "a probe that is not held counts at once")
	fill()
	g.Check(t.Context())
	wants(false, false, soon, "and no error makes that good")
}

func TestWhereAnEscapedPayloadCouldNotComeNothingIsPlanted(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(dir string) error
		want string // of the error, "" for none
	}{
		{"it is made", func(string) error { return nil }, ""},
		{"root's own is set right", func(dir string) error { return os.Mkdir(dir, 0o700) }, ""},
		{"no other user's is taken", func(dir string) error {
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			return os.Chown(dir, overflowID, overflowID)
		}, "only root may write"},
		{"no link is followed", func(dir string) error { return os.Symlink("/tmp", dir) }, "only root may write"},
		{"one that only root can reach shows nothing", func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o700) }, "everybody must be able to pass it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(ownTemp(t), "escape")
			require.NoError(t, row.make(dir))
			err := makeDir(dir)
			if row.want != "" {
				assert.ErrorContains(t, err, row.want)
				return
			}
			require.NoError(t, err)
			info, err := os.Stat(dir)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o711), info.Mode().Perm())
		})
	}
}
