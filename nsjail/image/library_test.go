package image

import (
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadObject(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		path string
		want object
	}{
		"the interpreter names its loader": {hostPython(t), object{loader: loaderOf(t), needed: []string{"libc.so.6"}}},
		"a run path with $ORIGIN": {
			compileC(t, dir, "run", "int main(void) { return 0; }", `-Wl,--enable-new-dtags,-rpath,$ORIGIN/lib:/opt/x:rel:/a/$LIB`),
			object{loader: loaderOf(t), needed: []string{"libc.so.6"}, runpath: []string{dir + "/lib", "/opt/x"}},
		},
		"an old run path": {
			compileC(t, dir, "old", "int main(void) { return 0; }", `-Wl,--disable-new-dtags,-rpath,${ORIGIN}/lib`),
			object{loader: loaderOf(t), needed: []string{"libc.so.6"}, rpath: []string{dir + "/lib"}},
		},
		"a static program needs nothing": {
			compileC(t, dir, "static", "int main(void) { return 0; }", "-static"), object{},
		},
		"a library has no loader": {
			compileC(t, dir, "lib.so", "int f(void) { return 0; }", "-shared", "-fPIC", "-nostdlib"), object{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := readObject(c.path)
			require.NoError(t, err)
			assert.Equal(t, c.want.loader, o.loader)
			assert.Equal(t, c.want.runpath, o.runpath)
			assert.Equal(t, c.want.rpath, o.rpath)
			assert.Subset(t, o.needed, c.want.needed)
			if c.want.needed == nil {
				assert.Empty(t, o.needed)
			}
		})
	}
	for name, path := range map[string]string{
		"text is no ELF file":          "/etc/passwd",
		"an object file is no library": compileC(t, dir, "x.o", "int f(void) { return 0; }", "-c"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readObject(path)
			assert.Error(t, err)
		})
	}
}

func hostPython(t *testing.T) string {
	t.Helper()
	path, err := trustedPath("/usr/bin/python3")
	require.NoError(t, err)
	return path
}

func loaderOf(t *testing.T) string {
	t.Helper()
	o, err := readObject("/usr/bin/true")
	require.NoError(t, err)
	return o.loader
}

// The order is that of ld.so(8); each row has a library of one name in several
// directories and says which is taken.
func TestResolverFindsLibrariesAsTheLoaderDoes(t *testing.T) {
	const text = "int f(void) { return 0; }"
	lib := func(t *testing.T, dir, name string, args ...string) {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		compileC(t, dir, name, text, append([]string{"-shared", "-fPIC", "-nostdlib", "-Wl,--no-as-needed"}, args...)...)
		require.NoError(t, os.Remove(dir+"/"+name+".c"))
	}
	program := func(t *testing.T, dir string, args ...string) *object {
		path := compileC(t, dir, "program", "int f(void); int main(void) { return f(); }",
			append([]string{"-L" + dir + "/link", "-lf", "-Wl,--allow-shlib-undefined"}, args...)...)
		o, err := readObject(path)
		require.NoError(t, err)
		return o
	}
	const oldTags, newTags = "-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags"
	for name, c := range map[string]struct {
		build func(t *testing.T, dir string) *object
		dirs  []string // default directories, below dir
		want  map[string]string
	}{
		"a default directory": {
			func(t *testing.T, dir string) *object { lib(t, dir+"/a", "libf.so"); return program(t, dir) },
			[]string{"none", "a"}, map[string]string{"libf.so": "a/libf.so"},
		},
		"the run path comes before them": {
			func(t *testing.T, dir string) *object {
				lib(t, dir+"/a", "libf.so")
				lib(t, dir+"/b", "libf.so")
				return program(t, dir, newTags, "-Wl,-rpath,"+dir+"/b")
			},
			[]string{"a"}, map[string]string{"libf.so": "b/libf.so"},
		},
		"a file of another machine is passed over": {
			func(t *testing.T, dir string) *object {
				lib(t, dir+"/a", "libf.so")
				lib(t, dir+"/b", "libf.so")
				b, err := os.ReadFile(dir + "/a/libf.so")
				require.NoError(t, err)
				b[18] = byte(elf.EM_AARCH64) // e_machine
				require.NoError(t, os.WriteFile(dir+"/a/libf.so", b, 0o755))
				return program(t, dir)
			},
			[]string{"a", "b"}, map[string]string{"libf.so": "b/libf.so"},
		},
		"a file others can write is passed over": {
			func(t *testing.T, dir string) *object {
				lib(t, dir+"/a", "libf.so")
				lib(t, dir+"/b", "libf.so")
				require.NoError(t, os.Chmod(dir+"/a/libf.so", 0o777))
				return program(t, dir)
			},
			[]string{"a", "b"}, map[string]string{"libf.so": "b/libf.so"},
		},
		"an old run path holds for the libraries of a library": {
			func(t *testing.T, dir string) *object {
				lib(t, dir+"/a", "libg.so", "-Wl,-soname,libg.so")
				lib(t, dir+"/a", "libf.so", "-L"+dir+"/a", "-lg", "-Wl,-soname,libf.so")
				return program(t, dir, oldTags, "-Wl,-rpath,"+dir+"/a")
			},
			nil, map[string]string{"libf.so": "a/libf.so", "libg.so": "a/libg.so"},
		},
		"a new one does not": {
			func(t *testing.T, dir string) *object {
				lib(t, dir+"/a", "libg.so", "-Wl,-soname,libg.so")
				lib(t, dir+"/a", "libf.so", "-L"+dir+"/a", "-lg", "-Wl,-soname,libf.so")
				return program(t, dir, newTags, "-Wl,-rpath,"+dir+"/a")
			},
			nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lib(t, dir+"/link", "libf.so", "-Wl,-soname,libf.so")
			o := c.build(t, dir)
			o.needed = slices.DeleteFunc(o.needed, func(n string) bool { return n == "libc.so.6" })
			var dirs []string
			for _, d := range c.dirs {
				dirs = append(dirs, filepath.Join(dir, d))
			}
			r := newResolver(dirs)
			err := r.add("program", o)
			if c.want == nil {
				var missing *missingLibrary
				require.ErrorAs(t, err, &missing)
				assert.ErrorContains(t, err, "library libg.so, needed by "+dir+"/a/libf.so, is not in any of")
				assert.Empty(t, r.found, "nothing is added")
				return
			}
			require.NoError(t, err)
			want := map[string]string{}
			for k, v := range c.want {
				want[k] = filepath.Join(dir, v)
			}
			assert.Equal(t, want, r.found)
		})
	}
}

// What we find for the host's programs is what their loader maps.
func TestResolverAgreesWithTheLoader(t *testing.T) {
	for _, path := range []string{"/usr/bin/python3", "/usr/bin/node", "/usr/bin/gcc"} {
		t.Run(path, func(t *testing.T) {
			real, err := trustedPath(path)
			require.NoError(t, err)
			o, err := readObject(real)
			require.NoError(t, err)
			r := newResolver(libraryDirs(loaderConfig))
			require.NoError(t, r.add(real, o))
			// The loader is asked itself, which does not run the program.
			out, err := run(t.Context(), probeTimeout, nil, o.loader, "--list", real)
			require.NoError(t, err)
			listed := map[string]string{}
			for _, m := range regexp.MustCompile(`(\S+) => (\S+) \(`).FindAllStringSubmatch(string(out), -1) {
				listed[m[1]] = m[2]
			}
			for _, libs := range []map[string]string{listed, r.found} {
				delete(libs, filepath.Base(o.loader)) // one of them leaves it out
				for name := range libs {
					libs[name], err = filepath.EvalSymlinks(libs[name])
					require.NoError(t, err)
				}
			}
			assert.NotEmpty(t, listed)
			assert.Equal(t, listed, r.found)
		})
	}
}

func TestSystemPath(t *testing.T) {
	for path, want := range map[string]string{
		"/lib64/ld-linux-x86-64.so.2":    "/usr/lib64/ld-linux-x86-64.so.2",
		"/lib/ld-linux-aarch64.so.1":     "/usr/lib/ld-linux-aarch64.so.1",
		"/usr/lib/x86_64-linux-gnu":      "/usr/lib/x86_64-linux-gnu",
		"/nix/store/abc-glibc/lib/ld.so": "",
		"/libexec/ld.so":                 "",
		"/usr/local/lib":                 "",
		"/opt/lib":                       "",
	} {
		t.Run(path, func(t *testing.T) {
			got, ok := systemPath(path)
			assert.Equal(t, want != "", ok)
			if ok {
				assert.Equal(t, want, got)
			}
		})
	}
}

func TestLoaderConfig(t *testing.T) {
	dir := func(path string) directive { return directive{path, false} }
	include := func(path string) directive { return directive{path, true} }
	for name, c := range map[string]struct {
		text string
		want []directive
	}{
		"a directory a line":              {"/a\n/b/\n", []directive{dir("/a"), dir("/b")}},
		"a comment is skipped":            {"# /a\n/b # /c\n", []directive{dir("/b")}},
		"several on a line":               {"/a:/b,/c /d\t/e", []directive{dir("/a"), dir("/b"), dir("/c"), dir("/d"), dir("/e")}},
		"an include keeps its place":      {"/a\ninclude conf.d/*.conf\n/b", []directive{dir("/a"), include("conf.d/*.conf"), dir("/b")}},
		"two patterns":                    {"include a b", []directive{include("a"), include("b")}},
		"a library type is cut off":       {"/a=libc6", []directive{dir("/a")}},
		"a capability line is skipped":    {"hwcap 1 nosegneg\n/a", []directive{dir("/a")}},
		"a relative directory is skipped": {"lib", nil},
		"an empty file names nothing":     {"", nil},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, parseLoaderConfig([]byte(c.text))) })
	}
}

func TestLibraryDirsFollowsIncludesAndEnds(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/conf.d", 0o755))
	write := func(name, text string) { require.NoError(t, os.WriteFile(dir+"/"+name, []byte(text), 0o644)) }
	write("main", "include conf.d/*.conf\n/last\ninclude main\n")
	write("conf.d/2.conf", "/two")
	write("conf.d/1.conf", "/one")
	write("conf.d/foreign.conf", "/foreign")
	require.NoError(t, os.Chown(dir+"/conf.d/foreign.conf", 300001, 0))
	dirs := libraryDirs(dir + "/main")
	assert.Equal(t, []string{"/one", "/two", "/last"}, dirs[:3])
	assert.NotContains(t, dirs, "/foreign")
	assert.Equal(t, systemDirs, dirs[len(dirs)-len(systemDirs):])
	assert.Equal(t, systemDirs, libraryDirs(dir+"/none"))
}
