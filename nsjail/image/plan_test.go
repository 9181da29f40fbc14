package image

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRelativeLinks(t *testing.T) {
	for _, c := range []struct{ dir, target, want string }{
		{"/", "/usr/lib", "usr/lib"},
		{"/usr/bin", "/usr/bin/python3.11", "python3.11"},
		{"/usr/lib64", "/usr/lib/x/ld.so", "../lib/x/ld.so"},
		{"/usr/share/zoneinfo/US", "/usr/share/zoneinfo/America/New_York", "../America/New_York"},
		{"/a/b", "/a/b", "../b"},
		{"/a/b/c", "/a", "../../../a"},
	} {
		t.Run(c.dir+" to "+c.target, func(t *testing.T) {
			got := relative(c.dir, c.target)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.target, filepath.Join(c.dir, got))
		})
	}
}

func TestPlanTakesOneSourceUnderTwoNamesAsALink(t *testing.T) {
	p := newPlan()
	require.NoError(t, p.copy("/usr/lib/libc.so.6", "/host/libc", 1, fileMode))
	require.NoError(t, p.copy("/usr/lib/libc.so.6", "/host/libc", 1, fileMode), "the same again")
	require.NoError(t, p.copy("/usr/lib64/libc.so.6", "/host/libc", 1, fileMode))
	assert.Equal(t, "../lib/libc.so.6", p.entries["/usr/lib64/libc.so.6"].target)
	assert.ErrorContains(t, p.copy("/usr/lib/libc.so.6", "/host/other", 1, fileMode), "in the image already")
	assert.Equal(t, []string{"/usr", "/usr/lib", "/usr/lib64"}, p.names(directory))
}

func TestPlanHasAMaximum(t *testing.T) {
	p := newPlan()
	require.NoError(t, p.copy("/big", "/host/big", maxImageBytes, fileMode))
	_, err := p.tmpfs()
	assert.ErrorContains(t, err, "the maximum is 1073741824")
}

// What grows between planning and writing does not fit.
func TestImageIsNoLargerThanPlanned(t *testing.T) {
	p := newPlan()
	require.NoError(t, p.file("/a", []byte("x")))
	fs, err := p.tmpfs()
	require.NoError(t, err)
	defer fs.closeContext()
	defer fs.mount.Close()
	p.entries["/a"].data = make([]byte, 100*pageSize)
	assert.ErrorContains(t, p.write(t.Context(), fs.mount), "no space left on device")
}

func TestListTree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	for _, name := range []string{"a.py", "sub/b.py", "sub/deep/c.py", "skip/d.py"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	require.NoError(t, os.Symlink("../a.py", dir+"/sub/link.py"))
	keep := func(rel string, _ bool) bool { return top(rel) != "skip" }
	files, err := listTree(dir, keep)
	require.NoError(t, err)
	assert.Equal(t, []treeFile{
		{rel: "a.py", source: dir + "/a.py", size: 4},
		{rel: "sub/b.py", source: dir + "/sub/b.py", size: 8},
		{rel: "sub/deep/c.py", source: dir + "/sub/deep/c.py", size: 13},
		{rel: "sub/link.py", source: dir + "/a.py", size: 4, link: true},
	}, files)
	p := newPlan()
	require.NoError(t, p.copyTree("/t", files))
	assert.Equal(t, "../a.py", p.entries["/t/sub/link.py"].target)

	for name, c := range map[string]struct {
		spoil func() error
		says  string
	}{
		"a file of another user":   {func() error { return os.Chown(dir+"/sub/b.py", 300001, 0) }, "belongs to uid 300001"},
		"a link to a directory":    {func() error { return os.Symlink("deep", dir+"/sub/x") }, "symbolic link to a directory"},
		"a link to nothing":        {func() error { return os.Symlink("nothing", dir+"/sub/x") }, "no such file"},
		"a directory others write": {func() error { return os.Chmod(dir+"/sub/deep", 0o777) }, "mode 0777"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				require.NoError(t, os.Chown(dir+"/sub/b.py", 0, 0))
				require.NoError(t, os.Chmod(dir+"/sub/deep", 0o755))
				_ = os.Remove(dir + "/sub/x")
			}()
			require.NoError(t, c.spoil())
			_, err := listTree(dir, keep)
			assert.ErrorContains(t, err, c.says)
		})
	}
}

func TestScrub(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		binary bool
		want   string
	}{
		"a path in text":                  {"x = '/opt/py/lib'", false, "x = '/usr/lib'"},
		"the prefix alone":                {"x = '/opt/py'", false, "x = '/usr'"},
		"twice":                           {"/opt/py:/opt/py/a", false, "/usr:/usr/a"},
		"not the start of a longer name":  {"/opt/python /opt/py3 /opt/py-x /opt/py.d", false, "/opt/python /opt/py3 /opt/py-x /opt/py.d"},
		"not the end of another path":     {"/home/opt/py", false, "/home/opt/py"},
		"a longer name and then the path": {"/opt/python:/opt/py/a", false, "/opt/python:/usr/a"},
		"a binary keeps its length":       {"\x00/opt/py/lib\x00", true, "\x00/usr////lib\x00"},
		"nothing to do":                   {"abc", true, "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, string(scrub([]byte(c.in), []string{"/opt/py"}, c.binary)))
		})
	}
	assert.Equal(t, "/a/b", string(scrub([]byte("/a/b"), []string{"/a"}, true)), "too short to hold /usr")
}

func TestOddPrefixes(t *testing.T) {
	for prefix, odd := range map[string]bool{
		"/usr": false, "/usr/local": false, "/": false, "/opt/python": true, "/usrlocal": true, "/home/u/.pyenv/versions/3.13.0": true,
	} {
		assert.Equal(t, odd, oddPrefix(prefix), prefix)
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/real", 0o755))
	require.NoError(t, os.Symlink("real", dir+"/link"))
	assert.Equal(t, []string{dir + "/link", dir + "/real"}, oddPrefixes(dir+"/link"))
	assert.Nil(t, oddPrefixes("/usr"))
}
