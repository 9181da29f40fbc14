package image

import (
	"bytes"
	"encoding/binary"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzParseObject(f *testing.F) {
	// The smallest program there is: the fuzzer is slow on long inputs.
	b, err := os.ReadFile(compileC(f, f.TempDir(), "seed", "void _start(void) {}", "-nostdlib", "-s", "-pie",
		"-Wl,-z,noseparate-code,-rpath,$ORIGIN/lib:/a", "-Wl,--build-id=none"))
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := parseObject(bytes.NewReader(b), "/origin")
		if err != nil {
			return
		}
		assert.NotContains(t, o.loader, "\x00")
		for _, dir := range append(o.rpath, o.runpath...) {
			assert.True(t, filepath.IsAbs(dir), dir)
		}
		assert.True(t, o.rpath == nil || o.runpath == nil)
	})
}

func FuzzExpandPath(f *testing.F) {
	for _, s := range []string{"$ORIGIN/../lib", "${ORIGIN}", "/a:/b", "$ORIGINAL", "/a/$LIB", "rel", ":::", "$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, dir := range expandPath([]string{s}, "/origin") {
			assert.True(t, filepath.IsAbs(dir))
			assert.Equal(t, filepath.Clean(dir), dir)
			assert.NotContains(t, dir, "$")
		}
	})
}

func FuzzParseLoaderConfig(f *testing.F) {
	for _, s := range []string{"include /etc/ld.so.conf.d/*.conf\n", "/a:/b # c\n", "hwcap 0 x\n", "/a=libc6"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, d := range parseLoaderConfig(b) {
			assert.True(t, d.include || filepath.IsAbs(d.path))
			assert.NotEmpty(t, d.path)
		}
	})
}

func FuzzReadAnswers(f *testing.F) {
	answer := func(kind string, body []byte) []byte {
		b := append([]byte(kind), body...)
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
	f.Add(append(answer("P", testPyc("a")), answer("E", []byte("no"))...))
	f.Add(answer("P", nil))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string][]byte{}
		if err := readAnswers(b, []string{"/a.py", "/b.py"}, testMagic, got); err != nil {
			return
		}
		for name, pyc := range got {
			assert.Contains(t, []string{"/a.py", "/b.py"}, name)
			assert.True(t, validPyc(pyc, testMagic))
		}
	})
}

func FuzzReadArchive(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, writeArchive(&b, map[string][]byte{"/a.py": testPyc("a"), "/b.py": testPyc("b")}))
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := readArchive(bytes.NewReader(b), int64(len(b)), testMagic)
		if err != nil {
			return
		}
		for _, pyc := range files {
			assert.True(t, validPyc(pyc, testMagic))
		}
	})
}

func FuzzPlanPaths(f *testing.F) {
	for _, s := range []string{"/usr/x", "/lib/x", "/a//b", "/../x", "x", "/", "/a\x00b", "/a/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p := newPlan()
		require.NoError(t, p.link("/lib", "/usr/lib"))
		if p.file(name, nil) != nil || name == "/" {
			return
		}
		assert.False(t, strings.HasPrefix(name, "/lib/"), "through a link")
		for at := path.Dir(name); at != "/"; at = path.Dir(at) {
			assert.Equal(t, directory, p.entries[at].kind)
		}
		assert.Equal(t, path.Clean(name), name)
	})
}

func FuzzScrub(f *testing.F) {
	f.Add([]byte("\x00/opt/py/lib\x00/opt/python"), true)
	f.Add([]byte("/opt/py"), false)
	f.Add([]byte("/opt/py/opt/py"), true)
	f.Fuzz(func(t *testing.T, b []byte, binary bool) {
		got := scrub(b, []string{"/opt/py"}, binary)
		if binary {
			assert.Len(t, got, len(b))
		}
		var parts [][]byte
		for _, part := range bytes.Split(b, []byte{0}) {
			parts = append(parts, scrub(part, []string{"/opt/py"}, binary))
		}
		assert.Equal(t, string(bytes.Join(parts, []byte{0})), string(got), "strings do not affect each other")
	})
}

func FuzzScriptPaths(f *testing.F) {
	f.Add([]byte("\x00/a.js\x00.js\x00/b.js\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, name := range scriptPaths(b) {
			assert.True(t, filepath.IsAbs(name))
			assert.True(t, bytes.Contains(b, append([]byte(name), 0)))
		}
	})
}
