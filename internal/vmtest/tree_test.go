package vmtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTreeFollowsTheHostsLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "usr/lib"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "usr/lib/a.so.1.2"), []byte("x"), 0o644))
	for link, target := range map[string]string{
		"lib": "usr/lib", "usr/lib/a.so.1": "a.so.1.2", "abs": filepath.Join(dir, "lib/a.so.1"), "loop": "loop", "dangling": "nowhere",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	for _, row := range []struct {
		name string
		path string
		real string
		err  string
		want []string // members below the directory
	}{
		{"a plain file", "usr/lib/a.so.1.2", "usr/lib/a.so.1.2", "", []string{"usr", "usr/lib", "usr/lib/a.so.1.2"}},
		{"a link to a file", "usr/lib/a.so.1", "usr/lib/a.so.1.2", "", []string{"usr", "usr/lib", "usr/lib/a.so.1", "usr/lib/a.so.1.2"}},
		{"a file below a linked directory", "lib/a.so.1.2", "usr/lib/a.so.1.2", "", []string{"lib", "usr", "usr/lib", "usr/lib/a.so.1.2"}},
		{"an absolute link through two others", "abs", "usr/lib/a.so.1.2", "", []string{"abs", "lib", "usr", "usr/lib", "usr/lib/a.so.1", "usr/lib/a.so.1.2"}},
		{"a loop", "loop", "", "too many symbolic links", nil},
		{"a link to nowhere", "dangling", "", "no such file", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			tree := NewTree()
			real, err := tree.Same(filepath.Join(dir, row.path))
			if row.err != "" {
				require.ErrorContains(t, err, row.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(dir, row.real), real)
			var got []string
			for name := range tree.nodes {
				if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) && rel != "." {
					got = append(got, rel)
				}
			}
			slices.Sort(got)
			assert.Equal(t, row.want, got)
		})
	}
}

func TestTreeWalksWithoutTheSkippedNames(t *testing.T) {
	tree := NewTree()
	dir := t.TempDir()
	for _, f := range []string{"a.py", "__pycache__/a.pyc", "pkg/b.py", "pkg/__pycache__/b.pyc", "pkg/test/c.py"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), nil, 0o644))
	}
	require.NoError(t, tree.Walk("/in", dir, "__pycache__", "test"))
	var got []string
	for name := range tree.nodes {
		got = append(got, name)
	}
	slices.Sort(got)
	assert.Equal(t, []string{"/dev", "/dev/console", "/in", "/in/a.py", "/in/pkg", "/in/pkg/b.py"}, got)
}

func TestLibrariesAreFoundWithoutRunningAnything(t *testing.T) {
	for _, row := range []struct {
		name string
		file string
		want []string // base names that have to be there
	}{
		{"python brings the linker and the C library", pythonPath, []string{"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6"}},
		{"node brings its C++ library", nodePath, []string{"libstdc++.so.6", "libc.so.6"}},
		{"a text file needs nothing", "tree_test.go", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			tree := NewTree()
			require.NoError(t, tree.Libraries(row.file))
			have := make(map[string]bool)
			for name, n := range tree.nodes {
				have[filepath.Base(name)] = true
				if n.host != "" {
					_, err := os.Stat(n.host)
					assert.NoError(t, err)
				}
			}
			for _, lib := range row.want {
				assert.True(t, have[lib], lib)
			}
			if row.want == nil {
				assert.Len(t, tree.nodes, 2)
			}
		})
	}
	assert.ErrorIs(t, NewTree().Libraries("/nonexistent"), os.ErrNotExist)
}

func TestKernelPackageIsReadFromAptsAnswer(t *testing.T) {
	for _, row := range []struct{ name, answer, want string }{
		{"the dependency is the kernel", "linux-image-cloud-amd64\n  Depends: linux-image-6.1.0-57-cloud-amd64\n", "linux-image-6.1.0-57-cloud-amd64"},
		{"other dependencies are passed over", "x\n  Depends: kmod\n  Depends: linux-image-6.12\n", "linux-image-6.12"},
		{"no package is no kernel", "N: Unable to locate package\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, kernelDependency(row.answer)) })
	}
}

func TestSuiteFlagsLeaveTimeForTheBinarysOwnTimeout(t *testing.T) {
	s := Suite{Name: "x", Run: "TestA", Skip: "TestB", Short: true, Timeout: 50e9}
	assert.Equal(t, []string{"-test.v", "-test.count=1", "-test.timeout=20s", "-test.run=TestA", "-test.skip=TestB", "-test.short"}, s.flags())
}

func TestSuiteSaysWhatOfItDoesNotRun(t *testing.T) {
	for _, row := range []struct {
		name  string
		suite Suite
		want  string
	}{
		{"all of it", Suite{Name: "a"}, "a"},
		{"a part", Suite{Name: "a", Run: "^X$"}, "a, only ^X$"},
		{"less a part, in short", Suite{Name: "a", Skip: "^Y$", Short: true}, "a, without ^Y$, short"},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, row.suite.covers()) })
	}
}
