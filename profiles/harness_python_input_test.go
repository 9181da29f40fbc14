package profiles_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// given is what the programs of the tables below get.
func given(job wire.Job) wire.Job {
	job.Stdin = "first\nsecond é\n"
	job.Args = []string{"-v", "", "é"}
	job.Env = map[string]string{"NAME": "value é", "EMPTY": "", "__proto__": "p"}
	job.Files = []wire.File{
		{Path: "a.txt", Content: []byte("one\r\ntwo é\n")}, {Path: "d/e/b.bin", Content: []byte{0, 0xff, '\n'}},
		{Path: ".stdin", Content: []byte("a name of ours")}, {Path: "empty"},
	}
	return job
}

func withInput(job func(string) wire.Job) func(string) wire.Job {
	return func(code string) wire.Job { return given(job(code)) }
}

func TestPythonProgramFindsWhatItWasGiven(t *testing.T) {
	everywhere := []runRow{
		{"reads text", "import workdir\nprint(repr(workdir.read_text('a.txt')))", 0, "'one\\ntwo é\\n'\n", ""},
		{"reads bytes", "import workdir\nprint(workdir.read_bytes('a.txt'), workdir.read_bytes('d/e/b.bin'), workdir.read_bytes('empty'))", 0, `b'one\r\ntwo \xc3\xa9\n' b'\x00\xff\n' b''` + "\n", ""},
		{"reads text in another encoding", "import workdir\nprint(workdir.read_text('d/e/b.bin', 'latin-1') == '\\0ÿ\\n')", 0, "True\n", ""},
		{"lists files", "from workdir import list_files\nprint(list_files())", 0, "['.stdin', 'a.txt', 'd/e/b.bin', 'empty']\n", ""},
		{"reads its input whole", "import workdir\nprint(repr(workdir.stdin()), repr(workdir.stdin()))", 0, "'first\\nsecond é\\n' ''\n", ""},
		{"reads its input by lines", "import workdir\nprint(input('ask '))\nprint(repr(workdir.stdin()))", 0, "ask first\n'second é\\n'\n", ""},
		{"reads beyond the end of its input", "input(), input()\ntry: input()\nexcept EOFError as e: print(e)", 0, "EOF when reading a line\n", ""},
		{"reads arguments and variables", "import json, workdir\nprint(json.dumps([workdir.args, workdir.env], ensure_ascii=False, sort_keys=True))", 0, `[["-v", "", "é"], {"EMPTY": "", "NAME": "value é", "__proto__": "p"}]` + "\n", ""},
		{"writes text and bytes and reads them", "import workdir as w\nprint(w.write_text('out/x/t', 'é\\n'), w.write_bytes('b', bytearray(3)), w.read_bytes('out/x/t'), w.read_bytes('b'))", 0, `2 3 b'\xc3\xa9\n' b'\x00\x00\x00'` + "\n", ""},
		{"replaces a file it was given", "import workdir as w\nw.write_text('a.txt', 'x')\nprint(w.read_text('a.txt'))", 0, "x\n", ""},
		{"removes a file", "import workdir as w\nw.remove('d/e/b.bin')\nprint(w.list_files())", 0, "['.stdin', 'a.txt', 'empty']\n", ""},
		{"writes much", "import workdir as w\nw.write_bytes('big', b'x' * (1 << 22))\nprint(len(w.read_bytes('big')))", 0, "4194304\n", ""},
		{"takes dots and double slashes in a path", "import workdir as w\nprint(w.read_text('./d/../a.txt'.replace('d/../', '')), w.read_bytes('d//e/./b.bin')[:1])", 0, "one\ntwo é\n b'\\x00'\n", ""},
		{"misses a file", "import workdir\nworkdir.read_text('no/such')", 90, "", "FileNotFoundError: [Errno 2] No such file or directory: 'no/such'\n"},
		{"misses a file and goes on", "import workdir\ntry: workdir.remove('none')\nexcept FileNotFoundError as e: print(e.filename, e.errno)", 0, "none 2\n", ""},
		{"reads a directory", "import workdir\nworkdir.read_bytes('d')", 90, "", "IsADirectoryError: [Errno 21] Is a directory: 'd'\n"},
		{"reads the working directory", "import workdir\nworkdir.read_bytes('./')", 90, "", "IsADirectoryError: [Errno 21] Is a directory: './'\n"},
		{"writes below a file", "import workdir\nworkdir.write_text('a.txt/b', '')", 90, "", "NotADirectoryError: [Errno 20] Not a directory: 'a.txt/b'\n"},
		{"reads elsewhere", "import workdir\nworkdir.read_text('/etc/passwd')", 90, "", "PermissionError: [Errno 1] a program has the files of its working directory only, by relative paths: '/etc/passwd'\n"},
		{"reads above", "import workdir\nworkdir.read_text('d/../../x')", 90, "", "PermissionError: [Errno 1]"},
		{"reads a path with a NUL", "import workdir\nworkdir.read_text('a\\0')", 90, "", "ValueError: embedded null byte\n"},
		{"names no text", "import workdir\nworkdir.read_text(3)", 90, "", "TypeError: path must be str, not int\n"},
		{"writes no bytes", "import workdir\nworkdir.write_bytes('x', 'text')", 90, "", "TypeError: memoryview: a bytes-like object is required, not 'str'\n"},
		{"writes no text", "import workdir\nworkdir.write_text('x', b'bytes')", 90, "", "TypeError: text must be str, not bytes\n"},
		{"uses it in threads", "import workdir as w\ntry: import threading\nexcept ImportError: threading = None\ndef work(n):\n    for i in range(50): w.write_text(f't{n}/{i}/x', str(i)); w.remove(f't{n}/{i}/x')\nif threading:\n    all = [threading.Thread(target=work, args=(n,)) for n in range(4)]\n    for one in all: one.start()\n    for one in all: one.join()\nprint(len(w.list_files()))", 0, "4\n", ""},
	}
	strictOnly := append(everywhere[:len(everywhere)-1:len(everywhere)-1], []runRow{
		{"names a path by what answers otherwise", "import workdir\nclass P(str):\n    def split(self, *a): return ['a.txt']\n    def removeprefix(self, p): return 'a.txt'\n    def __getitem__(self, k): return 'a'\nworkdir.read_text(P('/etc/passwd'))", 90, "", "PermissionError: [Errno 1]"},
		{"hands out nothing of its own", "import workdir\nprint(sorted(n for n in vars(workdir) if n[0] != '_'), [n for n in ('__globals__', '__closure__', '__self__', '__builtins__') if hasattr(workdir.read_text, n)])", 0,
			"['args', 'env', 'list_files', 'read_bytes', 'read_text', 'remove', 'stdin', 'write_bytes', 'write_text'] []\n", ""},
	}...)
	t.Run("strict", func(t *testing.T) { checkRuns(t, python, withInput(strictPython), strictOnly) })
	t.Run("standard", func(t *testing.T) { checkRuns(t, python, withInput(pythonAt(t, "standard")), everywhere) })
	t.Run("relaxed", func(t *testing.T) {
		checkRuns(t, python, withInput(openPython), append(everywhere, []runRow{
			{"opens the files", "print(open('a.txt').read(), open('d/e/b.bin', 'rb').read())", 0, "one\ntwo é\n b'\\x00\\xff\\n'\n", ""},
			{"has arguments where a bare run has them", "import sys\nprint(sys.argv)", 0, "['/tmp/program.py', '-v', '', 'é']\n", ""},
			{"has variables where a bare run has them", "import os\nprint(os.environ['NAME'], os.getenv('EMPTY'), os.environ['HOME'])", 0, "value é  /tmp\n", ""},
			{"has them in the C library too", "import posix, os\nos.unsetenv('X')\nprint(posix.environ[b'NAME'].decode())", 0, "value é\n", ""},
			{"reads its input as a bare run does", "import sys\nprint(sys.stdin.readline(), sys.stdin.seekable(), list(sys.stdin), sys.stdin.isatty())", 0, "first\n True ['second é\\n'] False\n", ""},
			{"reads the descriptor", "import os\nprint(os.read(0, 5), os.stat(0).st_nlink)", 0, "b'first' 0\n", ""},
			{"cannot write to its input", "import os\nos.write(0, b'x')", 90, "", "OSError: [Errno 9] Bad file descriptor"},
			{"has no other descriptor", "import os\ndef there(n):\n    try: os.fstat(n); return True\n    except OSError: return False\nprint([n for n in range(32) if there(n)])", 0, "[0, 1, 2]\n", ""},
		}...))
	})
}

// A program that is given nothing is as it was.
func TestPythonProgramThatIsGivenNothing(t *testing.T) {
	rows := []runRow{
		{"has no files, input, arguments or variables", "import workdir\nprint(workdir.list_files(), repr(workdir.stdin()), workdir.args, workdir.env)", 0, "[] '' [] {}\n", ""},
		{"has no input to ask for", "input()", 90, "", "EOFError: EOF when reading a line"},
	}
	t.Run("strict", func(t *testing.T) { checkRuns(t, python, strictPython, rows) })
	t.Run("relaxed", func(t *testing.T) { checkRuns(t, python, openPython, rows) })
}

func TestPythonPointsToWorkdirWhereItRefusesFiles(t *testing.T) {
	for _, row := range []struct{ name, code, want string }{
		{"open", "open('x')", `open is blocked: use workdir: import workdir; workdir.read_text("name")`},
		{"pathlib", "import pathlib", `use workdir: import workdir; workdir.read_text("name")`},
		{"os", "import os", "workdir.list_files()"},
		{"glob", "from glob import glob", "workdir.list_files()"},
		{"sys", "import sys", "workdir.args"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := run(t, python, strictPython(row.code))
			require.Equal(t, "V", string(rune(out.kind)))
			list, err := wire.DecodeViolations(out.payload)
			require.NoError(t, err)
			assert.Contains(t, list[0].Message, row.want)
		})
	}
}

// What is only checked, and what a level or a request leaves out.
func TestInputIsLaidOutForRunsAlone(t *testing.T) {
	for _, h := range []struct {
		interpreter
		language policy.Language
	}{{python, policy.Python}, {javascript, policy.JavaScript}} {
		dir, err := image()
		require.NoError(t, err)
		job := given(wire.Job{Unrestricted: true, CheckOnly: true, Code: "1"})
		p := launch(t, h.interpreter, dir, true)
		p.handshake(t)
		out := p.finish(t, job)
		assert.Equal(t, "C", string(rune(out.kind)))
		assert.Empty(t, leftIn(t, p.cmd.Dir), h.language)
	}
}

func TestInputThatTheHarnessCannotLayOutIsAFailure(t *testing.T) {
	for _, row := range []struct {
		name string
		job  func(wire.Job) []byte
		want string
	}{
		{"two files of one path", func(j wire.Job) []byte {
			j.Files = []wire.File{{Path: "a"}, {Path: "a"}}
			return j.Encode()
		}, "exist"},
		{"a file in a file", func(j wire.Job) []byte {
			j.Files = []wire.File{{Path: "a"}, {Path: "a/b"}}
			return j.Encode()
		}, "irectory"},
		{"a kind that nobody knows", func(j wire.Job) []byte {
			var e wire.Encoder
			for _, text := range []string{"socket", "a", "b"} {
				e.String(text)
			}
			return append(j.Encode(), e.Bytes()...)
		}, "unknown kind"},
		{"a kind alone", func(j wire.Job) []byte {
			var e wire.Encoder
			e.String("stdin")
			return append(j.Encode(), e.Bytes()...)
		}, "unknown job"},
	} {
		for _, h := range harnesses {
			t.Run(row.name+", "+h.name, func(t *testing.T) {
				dir, err := image()
				require.NoError(t, err)
				p := launch(t, h.interpreter, dir, true)
				p.handshake(t)
				require.NoError(t, wire.WriteFrame(p.conn, wire.JobFrame, row.job(wire.Job{Unrestricted: true, Code: "print(1)"})))
				words := string(p.expect(t, wire.Failed))
				assert.Contains(t, strings.ToLower(words), strings.ToLower(row.want))
				assert.Error(t, p.cmd.Wait())
				assert.Empty(t, p.stdout.String(), "the program ran")
			})
		}
	}
}

func leftIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
