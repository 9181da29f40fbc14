package image

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/lease"
	"safe-exec/policy"
)

// contents gives the SHA-256 of each file of an image by path: a difference is told by
// its path alone.
func contents(t *testing.T, img *Image) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	walkImage(t, img, func(path string, info os.FileInfo, content func() []byte) {
		if !info.IsDir() {
			all[path] = sha256.Sum256(content())
		}
	})
	return all
}

func TestCachedImageEqualsTheCompiledOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	harness := map[string][]byte{ownDir + "/harness.py": []byte(testHarness)}
	build := func(files map[string][]byte) *Image {
		img, err := Build(t.Context(), Config{Language: policy.Python, CacheDir: dir, Files: files})
		require.NoError(t, err)
		t.Cleanup(func() { img.Close() })
		require.Empty(t, img.Warnings)
		return img
	}
	first := build(harness)
	assert.False(t, first.Cached)
	second := build(harness)
	assert.True(t, second.Cached)
	compiled, loaded := contents(t, first), contents(t, second)
	assert.Equal(t, len(compiled), len(loaded), "files")
	for path, sum := range compiled {
		require.True(t, loaded[path] == sum, path)
	}
	assert.Equal(t, 0, python(t, second, "import json").code)

	other := build(map[string][]byte{ownDir + "/harness.py": []byte("print('other')\n")})
	assert.False(t, other.Cached, "another harness is another key")

	archives, err := filepath.Glob(dir + "/*" + cacheSuffix)
	require.NoError(t, err)
	require.Len(t, archives, 2)
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, all, 2, "no unfinished archive is left")
	for _, path := range archives {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		b[len(b)/2] ^= 1 // in the content of some file
		require.NoError(t, os.WriteFile(path, b, 0o600))
	}
	repaired := build(harness)
	assert.False(t, repaired.Cached, "a damaged archive is not used")
	assert.True(t, build(harness).Cached, "and is replaced")
}

func TestCacheDirectoryMustBeRootsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		says    string
	}{
		"a missing one is made":           {func(*testing.T, string) {}, ""},
		"a private one is taken":          {func(t *testing.T, d string) { mkdir(t, d, 0o700) }, ""},
		"one that others read is refused": {func(t *testing.T, d string) { mkdir(t, d, 0o755) }, "has mode 0755"},
		"one that others write":           {func(t *testing.T, d string) { mkdir(t, d, 0o770) }, "mode 0770"},
		"one with the sticky bit":         {func(t *testing.T, d string) { mkdir(t, d, 0o777|os.ModeSticky) }, "mode 0777"},
		"one of another user": {func(t *testing.T, d string) {
			mkdir(t, d, 0o700)
			require.NoError(t, os.Chown(d, 300001, 0))
		}, "belongs to uid 300001"},
		"one in a directory that others write": {func(t *testing.T, d string) {
			mkdir(t, d, 0o700)
			require.NoError(t, os.Chmod(filepath.Dir(d), 0o777))
		}, "mode 0777"},
		"a file":               {func(t *testing.T, d string) { require.NoError(t, os.WriteFile(d, nil, 0o600)) }, unix.ENOTDIR.Error()},
		"one without a parent": {func(t *testing.T, d string) { require.NoError(t, os.Remove(filepath.Dir(d))) }, unix.ENOENT.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "parent", "cache")
			mkdir(t, filepath.Dir(dir), 0o755)
			c.prepare(t, dir)
			cache, err := openCache(dir)
			defer cache.close()
			if c.says != "" {
				assert.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			info, err := os.Stat(dir)
			require.NoError(t, err)
			assert.Equal(t, os.ModeDir|0o700, info.Mode())
		})
	}
}

func mkdir(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Chmod(dir, mode))
}

var testMagic = []byte("\xa7\x0d\x0d\x0a")

func testPyc(body string) []byte {
	return append(append(bytes.Clone(testMagic), 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8), body...)
}

func TestCacheLoadsOnlyWhatIsWhole(t *testing.T) {
	files := map[string][]byte{"/usr/a.py": testPyc("a"), "/usr/b.py": testPyc("bb")}
	checked := testPyc("a")
	checked[4] = 3
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		want  bool
	}{
		"as it was stored":   {func(*testing.T, string) {}, true},
		"missing":            {func(t *testing.T, p string) { require.NoError(t, os.Remove(p)) }, false},
		"cut short":          {func(t *testing.T, p string) { require.NoError(t, os.Truncate(p, 100)) }, false},
		"empty":              {func(t *testing.T, p string) { require.NoError(t, os.Truncate(p, 0)) }, false},
		"of another user":    {func(t *testing.T, p string) { require.NoError(t, os.Chown(p, 300001, 0)) }, false},
		"writable by others": {func(t *testing.T, p string) { require.NoError(t, os.Chmod(p, 0o622)) }, false},
		"of another version": {func(t *testing.T, p string) {
			storeAt(t, p, map[string][]byte{"/usr/a.py": append([]byte("xxxx"), testPyc("a")[4:]...)})
		}, false},
		"with a checked file": {func(t *testing.T, p string) { storeAt(t, p, map[string][]byte{"/usr/a.py": checked}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			cache, err := openCache(dir)
			require.NoError(t, err)
			defer cache.close()
			require.NoError(t, cache.store("key", files))
			c.spoil(t, dir+"/key"+cacheSuffix)
			got, ok := cache.load("key", testMagic)
			assert.Equal(t, c.want, ok)
			if ok {
				assert.Equal(t, files, got)
			}
		})
	}
}

func storeAt(t *testing.T, path string, files map[string][]byte) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, writeArchive(f, files))
}

func TestCacheIsPruned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	cache, err := openCache(dir)
	require.NoError(t, err)
	defer cache.close()
	old := time.Now().Add(-time.Hour)
	for i := range cacheKept + 2 {
		require.NoError(t, cache.store(fmt.Sprint(i), map[string][]byte{"/a": testPyc("a")}))
		require.NoError(t, os.Chtimes(fmt.Sprintf("%s/%d%s", dir, i, cacheSuffix), old, old.Add(time.Duration(i)*time.Second)))
	}
	// Whether who writes one lives does not show by its age: a clock may jump, and a
	// process may stand still.
	running, err := lease.Aside(dir, "running")
	require.NoError(t, err)
	defer running.Close()
	require.NoError(t, os.Chtimes(running.Name(), old, old))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "killed.tmp"), nil, 0o600))
	require.NoError(t, cache.store("new", nil))
	var names []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"3" + cacheSuffix, "4" + cacheSuffix, "5" + cacheSuffix, "new" + cacheSuffix, filepath.Base(running.Name())}, names)
}

func TestNoCacheHoldsNothing(t *testing.T) {
	cache, err := openCache("")
	require.NoError(t, err)
	defer cache.close()
	require.NoError(t, cache.store("key", map[string][]byte{"/a": testPyc("a")}))
	_, ok := cache.load("key", testMagic)
	assert.False(t, ok)
}

func TestCacheKeyCoversWhatTheCompiledFilesDependOn(t *testing.T) {
	base := host{build: "3.11.2 gcc", tag: "cpython-311", magic: testMagic}
	sources := map[string][]byte{"/a.py": []byte("1"), "/b.py": []byte("2")}
	key := cacheKey(&base, sources)
	assert.Equal(t, key, cacheKey(&base, map[string][]byte{"/b.py": []byte("2"), "/a.py": []byte("1")}), "not the order")
	build, tag, magic := base, base, base
	build.build, tag.tag, magic.magic = "3.11.3 gcc", "cpython-312", []byte("xxxx")
	for name, other := range map[string]string{
		"another build":                 cacheKey(&build, sources),
		"another tag":                   cacheKey(&tag, sources),
		"another magic number":          cacheKey(&magic, sources),
		"another text":                  cacheKey(&base, map[string][]byte{"/a.py": []byte("1"), "/b.py": []byte("3")}),
		"another name":                  cacheKey(&base, map[string][]byte{"/a.py": []byte("1"), "/c.py": []byte("2")}),
		"fewer":                         cacheKey(&base, map[string][]byte{"/a.py": []byte("1")}),
		"bytes moved from text to name": cacheKey(&base, map[string][]byte{"/a.py": nil, "1/b.py": []byte("2")}),
	} {
		assert.NotEqual(t, key, other, name)
	}
}
