package broker

import (
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
			_, err := MakeDir(state, uid, uid)
			require.NoError(t, err)
		}, ""},
		{"is no link", func(t *testing.T, state string) { require.NoError(t, os.Symlink("/tmp", at(state))) }, "no link"},
		{"is no file", func(t *testing.T, state string) { require.NoError(t, os.WriteFile(at(state), nil, 0o600)) }, "must be one"},
		{"is nobody else's", func(t *testing.T, state string) { require.NoError(t, os.Mkdir(at(state), 0o700)) }, "belongs to 0:0"},
		{"is for nobody else to read", func(t *testing.T, state string) {
			dir, err := MakeDir(state, uid, uid)
			require.NoError(t, err)
			require.NoError(t, os.Chmod(dir, 0o755))
		}, "mode 0755"},
		{"is not made below what others may write to", func(t *testing.T, state string) { require.NoError(t, os.Chmod(state, 0o777)) }, "may write"},
		{"is not made below another's", func(t *testing.T, state string) { require.NoError(t, os.Chown(state, 1000, 0)) }, "belong to root"},
		{"is not made where the broker cannot come", func(t *testing.T, state string) {
			require.NoError(t, os.Chmod(filepath.Dir(state), 0o700))
		}, "cannot pass through"},
	} {
		t.Run(row.name, func(t *testing.T) {
			state := filepath.Join(open(t), "state")
			require.NoError(t, os.Mkdir(state, 0o755))
			row.make(t, state)
			dir, err := MakeDir(state, uid, uid)
			if row.want != "" {
				assert.ErrorContains(t, err, row.want)
				return
			}
			require.NoError(t, err)
			info, err := os.Lstat(dir)
			require.NoError(t, err)
			owner := info.Sys().(*syscall.Stat_t)
			assert.Equal(t, []any{os.FileMode(0o700), uint32(uid), uint32(uid)}, []any{info.Mode().Perm(), owner.Uid, owner.Gid})
			_, err = MakeDir(state, uid, uid)
			assert.NoError(t, err, "a second time")
		})
	}
}
