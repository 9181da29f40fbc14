package image

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestTrustedPath(t *testing.T) {
	// /tmp itself is sticky and open to all, and passes for that.
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	make := func(name string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		require.NoError(t, os.WriteFile(at(name), nil, 0o644))
		require.NoError(t, os.Chmod(at(name), mode))
	}
	link := func(name, target string) { require.NoError(t, os.Symlink(target, at(name))) }
	make("good/file", 0o644)
	make("good/group", 0o664)
	make("good/world", 0o646)
	make("group/file", 0o644)
	require.NoError(t, os.Chmod(at("group"), 0o775))
	make("world/file", 0o644)
	require.NoError(t, os.Chmod(at("world"), 0o777))
	make("sticky/file", 0o644)
	make("sticky/foreign", 0o644)
	require.NoError(t, os.Chown(at("sticky/foreign"), 300001, 300001))
	link("sticky/planted", at("good/file"))
	require.NoError(t, os.Lchown(at("sticky/planted"), 300001, 300001))
	require.NoError(t, os.Chmod(at("sticky"), 0o777|os.ModeSticky))
	make("theirs/file", 0o644)
	require.NoError(t, os.Chown(at("theirs"), 300001, 0))
	link("relative", "good/file")
	link("absolute", at("good/file"))
	link("upwards", "good/../good/./file")
	link("linkdir", "good")
	link("through", "linkdir/../good/file")
	link("toworld", "world/file")
	link("viaworld", "world/../good/file")
	link("loop", "loop")
	link("dangling", "nothing")

	for name, c := range map[string]struct {
		path string
		want string // below dir
		err  error
		says string
	}{
		"a file of root passes":                               {at("good/file"), "good/file", nil, ""},
		"a directory passes":                                  {at("good"), "good", nil, ""},
		"slashes and dots are cleaned":                        {dir + "//good/./file", "good/file", nil, ""},
		"a relative link is followed":                         {at("relative"), "good/file", nil, ""},
		"an absolute link is followed":                        {at("absolute"), "good/file", nil, ""},
		"a link with dots is followed":                        {at("upwards"), "good/file", nil, ""},
		"a link through a link is followed":                   {at("through"), "good/file", nil, ""},
		"a directory link in the middle":                      {at("linkdir/file"), "good/file", nil, ""},
		"root's file in a sticky directory":                   {at("sticky/file"), "sticky/file", nil, ""},
		"a file of another user is refused":                   {at("sticky/foreign"), "", unix.EPERM, "belongs to uid 300001"},
		"a link of another user is refused":                   {at("sticky/planted"), "", unix.EPERM, "sticky/planted belongs to uid 300001"},
		"a file its group may write is refused":               {at("good/group"), "", unix.EPERM, "mode 0664"},
		"a file all may write is refused":                     {at("good/world"), "", unix.EPERM, "mode 0646"},
		"a directory its group may write is refused":          {at("group/file"), "", unix.EPERM, "mode 0775"},
		"a directory all may write is refused":                {at("world/file"), "", unix.EPERM, "mode 0777"},
		"a directory of another user is refused":              {at("theirs/file"), "", unix.EPERM, "theirs belongs to uid"},
		"a link into such a directory is refused":             {at("toworld"), "", unix.EPERM, "mode 0777"},
		"a link that only passes through such one is refused": {at("viaworld"), "", unix.EPERM, "mode 0777"},
		"a loop ends":                   {at("loop"), "", unix.ELOOP, ""},
		"a link to nothing says so":     {at("dangling"), "", unix.ENOENT, "nothing"},
		"a path through a file says so": {at("good/file/x"), "", unix.ENOTDIR, ""},
		"a relative path is refused":    {"usr/bin", "", nil, "not an absolute path"},
		"no path is refused":            {"", "", nil, "not an absolute path"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := trustedPath(c.path)
			if c.err == nil && c.says == "" {
				require.NoError(t, err)
				assert.Equal(t, at(c.want), got)
				return
			}
			require.Error(t, err)
			assert.ErrorContains(t, err, c.says)
			if c.err != nil {
				assert.ErrorIs(t, err, c.err)
			}
		})
	}
}

func TestReadTrustedTakesRegularFilesOfRootOnly(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/file", []byte("text"), 0o644))
	require.NoError(t, os.WriteFile(dir+"/empty", nil, 0o644))
	require.NoError(t, os.WriteFile(dir+"/foreign", []byte("text"), 0o644))
	require.NoError(t, os.Chown(dir+"/foreign", 300001, 0))
	require.NoError(t, os.Symlink("file", dir+"/link"))
	require.NoError(t, unix.Mkfifo(dir+"/fifo", 0o600))
	for name, c := range map[string]struct{ want, says string }{
		"file":    {"text", ""},
		"empty":   {"", ""},
		"foreign": {"", "belongs to uid 300001"},
		"link":    {"", unix.ELOOP.Error()},
		"fifo":    {"", "not a regular file"},
		".":       {"", "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := readTrusted(dir + "/" + name)
			if c.says != "" {
				assert.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, string(b))
		})
	}
}
