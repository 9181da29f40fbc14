package profiles_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/shim"
)

// The hook alone, without the harness that asks first: which paths end the run.
func TestTheAuditHookLooksAtPathsByTheirNames(t *testing.T) {
	const rule = ": a program has the files of its working directory only, by relative paths); the run is ended\n"
	ends := func(what string) string {
		return "PolicyViolation: the program went past the import policy (" + what + rule
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "_safe_exec.abi3.so"), shim.Python(), 0o755))
	for _, row := range []struct{ name, code, stderr string }{
		{"the directory above", "posix.open('..', 0)", ends("open ..")},
		{"a file above", "posix.open('../x', 0)", ends("open ../x")},
		{"a way up in the middle", "posix.open('a/../b', 0)", ends("open a/../b")},
		{"a way up at the end", "posix.open('a/..', 0)", ends("open a/..")},
		{"a way up behind a root", "posix.open(lib + '../x', 0)", ends("open /usr/lib/../x")},
		{"a path elsewhere", "posix.open('/etc/passwd', 0)", ends("open /etc/passwd")},
		{"a path that begins like a root", "posix.open('/usr/lib64', 0)", ends("open /usr/lib64")},
		{"a root that is only read, written to", "posix.open(lib + 'x', 1)", ends("open /usr/lib/x")},
		{"bytes, which nobody here uses", "posix.open(b'x', 0)", ends("open")},
		{"a file above that has no name in UTF-8", "posix.open('../\\udcff', 0)", ends(`open ../\udcff`)},
		{"a directory made above", "posix.mkdir('a/../../b')", ends("os.mkdir a/../../b")},
		{"a directory made from the root", "posix.mkdir('/tmp/x')", ends("os.mkdir /tmp/x")},
		{"a file removed above", "posix.unlink('../x')", ends("os.remove ../x")},
		{"a file removed from the root", "posix.unlink('/tmp/x')", ends("os.remove /tmp/x")},
		{"an event that is no path's", "posix.rename('a', 'b')", "PolicyViolation: the program went past the import policy (os.rename); the run is ended\n"},

		{"names that begin with two dots", "posix.open('..data', 65, 0o600); posix.open('...', 65); posix.open('....', 65); posix.open('.. ', 65)", ""},
		{"directories of such names", "posix.mkdir('..d'); posix.mkdir('..d/a..b'); posix.open('..d/a..b/..c', 65); posix.unlink('..d/a..b/..c')", ""},
		{"dots that lead nowhere", "posix.mkdir('./e'); posix.open('./e//.f', 65); posix.open('e/./.f', 0)", ""},
		{"a name that has no form in UTF-8", "posix.mkdir('\\udcff'); posix.open('\\udcff/..\\udc80', 65); posix.unlink('\\udcff/..\\udc80')", ""},
		{"a file of the working directory by its whole path", "posix.open(posix.getcwd() + '/..w', 65)", ""},
		{"a file of a root", "fails(FileNotFoundError, posix.open, lib + '..no/no..', 0)", ""},
		{"an empty path", "fails(FileNotFoundError, posix.open, '', 0)", ""},
		{"a NUL, which the interpreter refuses", "fails(ValueError, posix.open, '..\\0', 0); fails(ValueError, posix.mkdir, 'a\\0')", ""},
		{"half a pair, which the interpreter refuses", "fails(UnicodeEncodeError, posix.open, '\\ud800', 0); fails(UnicodeEncodeError, posix.unlink, '\\ud800')", ""},
		{"a descriptor", "open(posix.dup(1), 'w', closefd=False)", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), python.path(t), append(slices.Clone(python.flags), "-c", `
import posix, sys
sys.path.insert(0, sys.argv[1])
import _safe_exec
lib = "/usr/lib/"
def fails(kind, function, *args):
    try: function(*args)
    except kind: return
    raise AssertionError(args)
_safe_exec.watch(sys.stdout, (posix.getcwd() + "/", lib))
`+row.code, dir)...)
			command.Dir = t.TempDir()
			var stderr []byte
			_, err := command.Output()
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				stderr = exit.Stderr
			}
			assert.Equal(t, row.stderr, string(stderr))
			assert.Equal(t, map[bool]int{true: 0, false: 92}[row.stderr == ""], command.ProcessState.ExitCode())
		})
	}
}
