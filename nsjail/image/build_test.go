package image

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

func TestBuildRefuses(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "wrapper")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nexec /usr/bin/python3\n"), 0o755))
	open := filepath.Join(dir, "open")
	require.NoError(t, os.Mkdir(open, 0o755))
	require.NoError(t, os.Chmod(open, 0o777))
	copyFile(t, "/usr/bin/true", open+"/python3", 0o755)
	copyFile(t, "/usr/bin/true", dir+"/loose", 0o755)
	require.NoError(t, os.Chmod(dir+"/loose", 0o775))
	copyFile(t, "/usr/bin/true", dir+"/foreign", 0o755)
	require.NoError(t, os.Chown(dir+"/foreign", 300001, 0))
	copyFile(t, "/usr/bin/true", dir+"/plain", 0o644)
	require.NoError(t, os.Symlink(open+"/python3", dir+"/link"))

	for name, c := range map[string]struct {
		config Config
		step   string
		words  string
		errno  error
	}{
		"a language without image":     {Config{Language: "ruby"}, "image_interpreter", `"ruby"`, nil},
		"an interpreter not there":     {Config{Language: policy.Python, Interpreter: dir + "/none"}, "image_interpreter", dir + "/none: no such file", unix.ENOENT},
		"a relative path":              {Config{Language: policy.Python, Interpreter: "bin/python3"}, "image_interpreter", "not an absolute path", nil},
		"a wrapper script":             {Config{Language: policy.Python, Interpreter: script}, "image_interpreter", "not an ELF program", nil},
		"a directory":                  {Config{Language: policy.Python, Interpreter: dir}, "image_interpreter", "not a regular file", nil},
		"an open directory on the way": {Config{Language: policy.Python, Interpreter: open + "/python3"}, "image_interpreter", open + " is writable by others than root (mode 0777)", unix.EPERM},
		"a link that leads through it": {Config{Language: policy.Python, Interpreter: dir + "/link"}, "image_interpreter", open + " is writable by others", unix.EPERM},
		"a program of a loose mode":    {Config{Language: policy.Python, Interpreter: dir + "/loose"}, "image_interpreter", "mode 0775", unix.EPERM},
		"a program of another user":    {Config{Language: policy.Python, Interpreter: dir + "/foreign"}, "image_interpreter", "belongs to uid 300001", unix.EPERM},
		"one that cannot be run":       {Config{Language: policy.Python, Interpreter: dir + "/plain"}, "image_interpreter", "cannot be run", unix.EACCES},
		"one that is no Python":        {Config{Language: policy.Python, Interpreter: "/usr/bin/true"}, "image_interpreter", "answered", nil},
		"one that is no Node":          {Config{Language: policy.JavaScript, Interpreter: "/usr/bin/true"}, "image_interpreter", "answered", nil},
		"a relative file":              {files("x"), "image_files", "not a clean absolute path", nil},
		"a file that goes up":          {files("/usr/../x"), "image_files", "not a clean absolute path", nil},
		"a file that is there":         {files("/etc/passwd"), "image_files", "in the image already", nil},
		"a file through a link":        {files("/lib/x"), "image_files", "/lib is not a directory", nil},
		"a file below a file":          {files("/etc/passwd/x"), "image_files", "/etc/passwd is not a directory", nil},
		"a file under a mount":         {files("/tmp/x"), "image_files", "hidden", nil},
		"a broken library":             {Config{Language: policy.JavaScript, Files: map[string][]byte{"/usr/lib/x.so": []byte("\x7fELF")}}, "image_files", "", nil},
		"a harness that does not parse": {
			Config{Language: policy.Python, Files: map[string][]byte{ownDir + "/harness.py": []byte("def (")}},
			"image_compile", ownDir + "/harness.py: invalid syntax", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			img, err := Build(t.Context(), c.config)
			require.Nil(t, img)
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, policy.CodeSetup, e.Code)
			assert.Equal(t, c.step, e.Step)
			assert.ErrorContains(t, err, c.words)
			if c.errno != nil {
				assert.ErrorIs(t, err, c.errno)
			}
		})
	}
}

func files(name string) Config {
	return Config{Language: policy.JavaScript, Files: map[string][]byte{name: []byte("1")}}
}

func TestBuildEndsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Build(ctx, Config{Language: policy.Python})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestAnInterpreterThatHangsIsGivenUp(t *testing.T) {
	_, err := run(t.Context(), 50*time.Millisecond, nil, "/usr/bin/sleep", "60")
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "gave no answer in 50ms")
}

func TestTheInterpreterRunsInAnEmptyEnvironment(t *testing.T) {
	t.Setenv("SECRET", "1")
	out, err := run(t.Context(), time.Minute, nil, "/usr/bin/env")
	require.NoError(t, err)
	assert.Empty(t, string(out))
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	sharedImage(t, policy.JavaScript, "") // what the first build of a process opens for good
	fds := openDescriptors(t)
	for _, l := range policy.Languages() {
		img, err := Build(t.Context(), Config{Language: l})
		require.NoError(t, err)
		assert.Empty(t, attached(t), "an image is attached nowhere")
		require.NoError(t, img.Close())
		assert.NoError(t, img.Close(), "a second time is harmless")
	}
	d, err := Devices()
	require.NoError(t, err)
	assert.Empty(t, attached(t))
	require.NoError(t, d.Close())
	_, err = Build(t.Context(), files("/tmp/x"))
	require.Error(t, err)
	assert.Empty(t, attached(t))
	assert.Equal(t, fds, openDescriptors(t))
}

// attached are the images among the host's mounts, where others come and go.
func attached(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(mountinfo(t), func(line string) bool { return !strings.Contains(line, " - tmpfs image ") })
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// The memory of an image is given back with the last descriptor.
func TestCloneOutlivesTheOriginal(t *testing.T) {
	img, err := Build(t.Context(), files("/etc/x"))
	require.NoError(t, err)
	clone, err := img.Clone()
	require.NoError(t, err)
	defer clone.Close()
	require.NoError(t, img.Close())
	fd, err := unix.Openat(int(clone.Fd()), "etc/x", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	unix.Close(fd)
	_, err = unix.Openat(int(clone.Fd()), "etc/x", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	assert.ErrorIs(t, err, unix.EROFS)
}

func TestParallel(t *testing.T) {
	boom := errors.New("boom")
	done := make([]bool, 100)
	require.NoError(t, parallel(t.Context(), len(done), func(i int) error { done[i] = true; return nil }))
	assert.NotContains(t, done, false, "every call is made")
	calls := make([]bool, 1000)
	assert.ErrorIs(t, parallel(t.Context(), len(calls), func(i int) error { calls[i] = true; return boom }), boom)
	made := 0
	for _, c := range calls {
		if c {
			made++
		}
	}
	assert.LessOrEqual(t, made, runtime.NumCPU(), "none is begun after an error")
}

// A library that our own file needs comes with it.
func TestLibrariesOfOurFilesComeToo(t *testing.T) {
	dir := t.TempDir()
	lib := compileC(t, dir, "libshim.so", "int f(void) { return 0; }", "-shared", "-fPIC", "-Wl,--no-as-needed", "-lexpat")
	b, err := os.ReadFile(lib)
	require.NoError(t, err)
	img, err := Build(t.Context(), Config{Language: policy.JavaScript, Files: map[string][]byte{ownDir + "/shim.so": b}})
	require.NoError(t, err)
	defer img.Close()
	found := false
	walkImage(t, img, func(path string, _ os.FileInfo, _ func() []byte) {
		found = found || filepath.Base(path) == "libexpat.so.1"
	})
	assert.True(t, found)
}

// compileC makes an ELF file with the C compiler that the project needs anyway.
func compileC(t testing.TB, dir, name, text string, args ...string) string {
	t.Helper()
	source := filepath.Join(dir, name+".c")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o644))
	out := filepath.Join(dir, name)
	cmd := exec.Command("gcc", append([]string{"-o", out, source}, args...)...)
	b, err := cmd.CombinedOutput()
	require.NoError(t, err, string(b))
	return out
}

func BenchmarkBuild(b *testing.B) {
	warm := filepath.Join(b.TempDir(), "cache")
	for name, c := range map[string]Config{
		"python, nothing compiled yet": {Language: policy.Python},
		"python, cached":               {Language: policy.Python, CacheDir: warm},
		"node":                         {Language: policy.JavaScript},
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				img, err := Build(b.Context(), c)
				require.NoError(b, err, strconv.Itoa(i))
				b.ReportMetric(float64(img.Bytes)/(1<<20), "MiB")
				b.ReportMetric(float64(img.Files), "files")
				img.Close()
			}
		})
	}
}

func TestFindTellsWhatBuildWouldTake(t *testing.T) {
	img := sharedImage(t, policy.Python, "")
	path, version, err := Find(t.Context(), policy.Python, "")
	require.NoError(t, err)
	assert.Equal(t, []string{img.Source, img.Version}, []string{path, version})
	_, _, err = Find(t.Context(), policy.Python, "/nonexistent/python3")
	assert.ErrorContains(t, err, "no usable python interpreter (step image_interpreter): lstat /nonexistent: no such file or directory")
}

func TestCandidatesAreFixedPlaces(t *testing.T) {
	for l, want := range map[policy.Language][]string{
		policy.JavaScript: {"/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node", "/usr/local/bin/nodejs"},
		"ruby":            nil,
	} {
		assert.Equal(t, want, Candidates(l))
	}
	python := Candidates(policy.Python)
	assert.Equal(t, "/usr/bin/python3", python[0])
	assert.Contains(t, python, "/usr/bin/python3.9")
	assert.Contains(t, python, "/usr/local/bin/python3.13")
	assert.NotContains(t, python, "/usr/bin/python3.8")
}
