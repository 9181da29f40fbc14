package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheBrokersDirectory(t *testing.T) {
	at := func(state string) string { return filepath.Join(state, "broker") }
	for _, row := range []struct {
		name string
		make func(t *testing.T, state string)
		want string
	}{
		{"is made", func(*testing.T, string) {}, ""},
		{"is made where root alone may pass", func(t *testing.T, state string) { require.NoError(t, os.Chmod(state, 0o700)) }, ""},
		{"is taken as this has made it", func(t *testing.T, state string) {
			claim(t, state).Close()
		}, ""},
		{"is no link", func(t *testing.T, state string) { require.NoError(t, os.Symlink("/tmp", at(state))) }, "no link"},
		{"is no file", func(t *testing.T, state string) { require.NoError(t, os.WriteFile(at(state), nil, 0o600)) }, "must be one"},
		{"is nobody else's", func(t *testing.T, state string) { require.NoError(t, os.Mkdir(at(state), 0o700)) }, "belongs to 0:0"},
		{"is for nobody else to read", func(t *testing.T, state string) {
			claim(t, state).Close()
			require.NoError(t, os.Chmod(at(state), 0o755))
		}, "mode 0755"},
		{"is not made below what others may write to", func(t *testing.T, state string) { require.NoError(t, os.Chmod(state, 0o777)) }, "may write"},
		{"is not made below another's", func(t *testing.T, state string) { require.NoError(t, os.Chown(state, 1000, 0)) }, "belong to root"},
		{"is not made where the broker cannot come", func(t *testing.T, state string) {
			require.NoError(t, os.Chmod(filepath.Dir(state), 0o700))
		}, "cannot pass through"},
		{"is not made where a link leads to such a place", func(t *testing.T, state string) {
			hidden := filepath.Join(filepath.Dir(state), "a", "b")
			require.NoError(t, os.MkdirAll(filepath.Join(hidden, "state"), 0o755))
			require.NoError(t, os.Chmod(filepath.Dir(hidden), 0o700))
			require.NoError(t, os.Remove(state))
			require.NoError(t, os.Rename(filepath.Dir(state), filepath.Dir(state)+".real"))
			require.NoError(t, os.Symlink(filepath.Dir(state)+".real/a/b", filepath.Dir(state)))
			t.Cleanup(func() { os.RemoveAll(filepath.Dir(state) + ".real") })
		}, "cannot pass through"},
		{"is not made below a file", func(t *testing.T, state string) {
			require.NoError(t, os.Remove(state))
			require.NoError(t, os.Remove(filepath.Dir(state)))
			require.NoError(t, os.WriteFile(filepath.Dir(state), nil, 0o600))
		}, "is not a directory"},
		{"is not made in what a link leads to", func(t *testing.T, state string) {
			require.NoError(t, os.Rename(state, state+".real"))
			require.NoError(t, os.Symlink(state+".real", state))
		}, "no link"},
		{"is made with those above it, which others may pass", func(t *testing.T, state string) {
			require.NoError(t, os.Remove(state))
			require.NoError(t, os.Remove(filepath.Dir(state)))
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			state := filepath.Join(open(t), "state")
			require.NoError(t, os.Mkdir(state, 0o755))
			row.make(t, state)
			before := tree(t, filepath.Dir(state))
			looked := Look(state, uid, uid)
			assert.Equal(t, before, tree(t, filepath.Dir(state)), "a look changes nothing")
			claimed, err := Claim(state, uid, uid)
			if row.want != "" {
				assert.ErrorContains(t, looked, row.want)
				assert.ErrorContains(t, err, row.want)
				assert.Equal(t, before, tree(t, filepath.Dir(state)), "what is refused is left as it is")
				return
			}
			require.NoError(t, looked)
			require.NoError(t, err)
			info, err := os.Lstat(claimed.Dir)
			require.NoError(t, err)
			owner := info.Sys().(*syscall.Stat_t)
			assert.Equal(t, []any{os.FileMode(0o700), uint32(uid), uint32(uid)}, []any{info.Mode().Perm(), owner.Uid, owner.Gid})
			claimed.Close()
			claim(t, state).Close() // a second time
		})
	}
}

func claim(t *testing.T, state string) *State {
	t.Helper()
	s, err := Claim(state, uid, uid)
	require.NoError(t, err)
	return s
}

// tree is what is below a directory, with its owners and permissions.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		require.NoError(t, err)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		st := info.Sys().(*syscall.Stat_t)
		found[path] = fmt.Sprint(info.Mode(), st.Uid, st.Gid, st.Ino)
		return nil
	})
	require.NoError(t, err)
	return found
}

func TestAStateDirectoryInUseIsLeftAsItIs(t *testing.T) {
	const other = uid + 1
	for _, row := range []struct {
		name   string
		broker uint32
		want   string
		not    string
	}{
		{"by a daemon with the same broker", uid, "stop that daemon first", "belongs to"},
		{"by one whose broker is another user", other, "leave that as it is, and give this daemon another one", "chown"},
	} {
		t.Run(row.name, func(t *testing.T) {
			state := filepath.Join(open(t), "state")
			holding, err := Claim(state, row.broker, row.broker)
			require.NoError(t, err)
			before := tree(t, state)
			_, claimed := Claim(state, uid, uid)
			for _, err := range []error{Look(state, uid, uid), claimed} {
				var used *InUseError
				require.ErrorAs(t, err, &used)
				assert.Equal(t, []any{state, os.Getpid()}, []any{used.Dir, used.PID})
				assert.ErrorContains(t, err, fmt.Sprintf("another daemon, pid %d, uses state_dir %s", os.Getpid(), state))
				assert.ErrorContains(t, err, row.want)
				assert.NotContains(t, err.Error(), row.not)
				assert.Equal(t, row.broker != uid, used.Besides != nil, "whether it is to be had afterwards")
			}
			assert.Equal(t, before, tree(t, state))

			holding.Close()
			_, err = Claim(state, uid, uid)
			if row.broker != uid {
				assert.ErrorContains(t, err, "chown -R", "now that is no danger to anybody")
				return
			}
			assert.NoError(t, err)
		})
	}
}

// Pids are used again, and those of another pid namespace are others' here.
func TestAPidThatDoesNotHoldTheLockIsNotNamed(t *testing.T) {
	state := filepath.Join(open(t), "state")
	holding := claim(t, state)
	defer holding.Close()
	for _, text := range []string{"1\n", "", "-1\n", "x", "999999999999999999999"} {
		require.NoError(t, os.WriteFile(filepath.Join(state, lockName), []byte(text), 0o600))
		var used *InUseError
		require.ErrorAs(t, Look(state, uid, uid), &used, text)
		assert.Zero(t, used.PID, text)
		assert.ErrorContains(t, used, "another daemon uses state_dir")
	}
}
