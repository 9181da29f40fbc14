package profiles_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// strict is a job under the default level of a built-in profile.
func strict(language policy.Language, code string) wire.Job {
	all, err := profiles.Default()
	if err != nil {
		panic(err)
	}
	p := all[string(language)]
	level := p.Levels[p.Level]
	return wire.Job{
		Unrestricted: level.Unrestricted,
		Imports:      level.Imports, BlockedImports: level.BlockedImports, BlockedNames: level.BlockedNames, ConstantNames: level.ConstantNames,
		Code: code,
	}
}

func strictPython(code string) wire.Job { return strict(policy.Python, code) }

func openPython(code string) wire.Job { return wire.Job{Unrestricted: true, Code: code} }

type runRow struct {
	name   string
	code   string
	exit   int
	stdout string
	stderr string // a fragment; empty means that nothing is there
}

func checkRuns(t *testing.T, i interpreter, job func(string) wire.Job, rows []runRow) {
	t.Helper()
	for _, i := range i.ways() {
		for _, row := range rows {
			t.Run(string(i.way)+", "+row.name, func(t *testing.T) {
				t.Parallel()
				out := run(t, i, job(row.code))
				require.Equal(t, "A", string(rune(out.kind)), "%q", out.payload)
				assert.Empty(t, out.payload)
				assert.Equal(t, row.exit, out.exit, "stderr: %s", out.stderr)
				assert.Equal(t, row.stdout, out.stdout)
				if row.stderr == "" {
					assert.Empty(t, out.stderr)
				} else {
					assert.Contains(t, out.stderr, row.stderr)
				}
				assert.NotContains(t, out.stderr, "harness", "a frame of ours shows")
				assert.NotContains(t, out.stderr, "program.py", "a frame of ours shows")
			})
		}
	}
}

func TestPythonRunsAsTheBareInterpreterDoes(t *testing.T) {
	both := []runRow{
		{"prints", "print('hello')", 0, "hello\n", ""},
		{"is the main module", "print(__name__)\nif __name__ == '__main__': print('main')", 0, "__main__\nmain\n", ""},
		{"takes a future import", "from __future__ import annotations\ndef f(x: nothing): pass\nprint(f.__annotations__)", 0, "{'x': 'nothing'}\n", ""},
		{"exits with a number", "raise SystemExit(3)", 3, "", ""},
		{"exits with nothing", "raise SystemExit", 0, "", ""},
		{"exits with a message", "raise SystemExit('no more')", 1, "", "no more\n"},
		{"exits with a number that is too large", "raise SystemExit(259)", 3, "", ""},
		{"has exit", "exit(4)", 4, "", ""},
		{"has quit", "print(quit)\nquit()", 0, "Use quit() or Ctrl-D (i.e. EOF) to exit\n", ""},
		{"prints an uncaught exception with its line", "def f():\n    1/0\nf()", 90, "",
			"Traceback (most recent call last):\n  File \"<program>\", line 3, in <module>\n    f()\n  File \"<program>\", line 2, in f\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n"},
		{"prints the interpreter's suggestion", "prin(1)", 90, "", "NameError: name 'prin' is not defined. Did you mean: 'print'?\n"},
		{"prints chained exceptions", "try:\n    1/0\nexcept Exception as e:\n    raise ValueError('v') from e", 90, "", "The above exception was the direct cause"},
		{"an interrupt is an exception", "raise KeyboardInterrupt", 90, "", "KeyboardInterrupt"},
		{"a missing module is an exception", "raise ImportError('x')", 90, "", "ImportError: x"},
		{"endless recursion is an exception", "def f(): f()\nf()", 90, "", "RecursionError: maximum recursion depth exceeded"},
		{"an exception that cannot be printed is an exception", "class E(Exception):\n    def __str__(self): raise SystemExit(0)\nraise E", 90, "", "E"},
		{"no memory is an exception", "x = [0] * (1 << 60)", 90, "", "MemoryError"},
		{"prints a lone surrogate", "print('\\ud800')", 0, "\\ud800\n", ""},
		{"prints any character", "print('é\\U0001f600\\0')", 0, "é\U0001f600\x00\n", ""},
		{"reads an empty standard input", "input()", 90, "", "EOFError"},
		{"takes CRLF", "if 1:\r\n    print('a')\r\nprint('b')\r\n", 0, "a\nb\n", ""},
		{"takes a byte order mark", "\ufeffprint(1)", 0, "1\n", ""},
		{"takes form feeds", "print(1)\n\fprint(2)\n", 0, "1\n2\n", ""},
		{"ignores an encoding cookie", "# -*- coding: latin-1 -*-\nprint('é')", 0, "é\n", ""},
		{"takes a file without an end", "if 1:\n  print(1)\n  # end", 0, "1\n", ""},
		{"takes a program of one MiB", "x = 1\n#" + strings.Repeat("é", 1<<19-10) + "\nprint(x)", 0, "1\n", ""},
		{"runs destructors at the end", "class A:\n    def __del__(self): print('gone')\na = A()", 0, "gone\n", ""},
		{"warns of what an exception held when it is over", "async def f(): pass\ndef g():\n    held = f()\n    1/0\ng()", 90, "", "ZeroDivisionError: division by zero\nsys:1: RuntimeWarning: coroutine 'f' was never awaited\n"},
		{"parses times", "import time, datetime\nprint(time.strptime('2020-02-03', '%Y-%m-%d').tm_mon, datetime.datetime.strptime('04', '%d').day)", 0, "2 4\n", ""},
		{"replaces json.dumps for itself only", "import json\njson.dumps = lambda *a: 'forged'\nprint(json.dumps(1))", 0, "forged\n", ""},
		{"redefines the harness's names", "def send(*a): raise SystemExit(5)\nmain = run = show = strip = take_job = send\nHERE = MAX_TEXT = JOB_SOCKET = None\nprint(1)\n1/0", 90, "1\n", "ZeroDivisionError"},
	}
	t.Run("restricted", func(t *testing.T) { checkRuns(t, python, strictPython, both) })
	t.Run("unrestricted", func(t *testing.T) { checkRuns(t, python, openPython, both) })
}

func TestPythonUnrestricted(t *testing.T) {
	checkRuns(t, python, openPython, []runRow{
		{"has os and sys", "import os, sys\nprint(os.getcwd() != '', sys.argv)", 0, "True ['/tmp/program.py']\n", ""},
		{"has all builtins", "print(eval('1+1'), getattr(1, 'real'), __builtins__.__name__)", 0, "2 1 builtins\n", ""},
		{"leaves at once with 0", "import os\nprint('a', flush=True)\nos._exit(0)", 0, "a\n", ""},
		{"output before a kill is kept", "import os\nprint('kept')\nos.kill(os.getpid(), 9)", -1, "kept\n", ""},
		{"writes to every descriptor", "import os\nfor fd in range(3, 1024):\n    try:\n        os.write(fd, b'A\\0\\0\\0\\0')\n        print('wrote', fd)\n    except OSError: pass", 0, "", ""},
		{"no descriptor above stderr is open", "import os\nfor fd in range(3, 1024):\n    try: os.fstat(fd); print(fd)\n    except OSError: pass", 0, "", ""},
		{"joins its threads", "import threading, time\ndef f():\n    time.sleep(0.5); print('thread')\nthreading.Thread(target=f).start()\nprint('main')", 0, "main\nthread\n", ""},
		{"prints the exception of a thread", "import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start(); t.join()\nprint('end')", 0, "end\n", "ZeroDivisionError"},
		{"runs exit handlers", "import atexit\natexit.register(print, 'bye')\n1/0", 90, "bye\n", "ZeroDivisionError"},
		{"runs asyncio", "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 7\nprint(asyncio.run(f()))", 0, "7\n", ""},
		{"prints a traceback itself", "import traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()", 0, "", "    try: 1/0"},
		{"has an exception hook of its own", "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\n1/0", 90, "hook ZeroDivisionError\n", ""},
		{"breaks the traceback printer", "import sys\nsys.stderr = None\nsys.modules['traceback'] = None\n1/0", 90, "", "ZeroDivisionError"},
		{"closes standard error", "import os\nos.close(2)\n1/0", 90, "", ""},
		{"leaves no stack to print with", "import sys\nsys.setrecursionlimit(20)\ndef f(): f()\nf()", 90, "", "RecursionError"},
		{"pickles what it defines", "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)", 0, "True\n", ""},
		{"has dataclasses and type hints", "from dataclasses import dataclass\nfrom typing import get_type_hints\n@dataclass\nclass A:\n    x: 'int'\nprint(A(1), get_type_hints(A))", 0, "A(x=1) {'x': <class 'int'>}\n", ""},
		{"is found as __main__", "import __main__\nx = 5\nprint(__main__.x)", 0, "5\n", ""},
	})
}

func TestPythonSyntaxErrors(t *testing.T) {
	rows := []struct {
		name         string
		code         string
		line, column uint32
		message      string
	}{
		{"a missing bracket", "x = 1\ny = (2\n", 2, 5, "'(' was never closed"},
		{"a column after wide characters", "é = 'ü'; 1 1", 1, 12, "invalid syntax"},
		{"an error of the compiler after wide characters", "é = 'ü'; return 1", 1, 10, "'return' outside function"},
		{"an error of the compiler after CRLF", "x = 1\r\né = 2; return", 2, 8, "'return' outside function"},
		{"a bad indent", "if 1:\nprint(1)", 2, 1, "expected an indented block"},
		{"a NUL", "x = 1\nprint('a\x00b')", 2, 9, "null bytes"},
		{"a NUL in a comment", "# \x00\nimport os", 1, 3, "null bytes"},
		{"brackets 10,000 deep", strings.Repeat("(", 10000) + strings.Repeat(")", 10000), 1, 1, ""},
		{"signs 10,000 deep", strings.Repeat("-", 10000) + "1", 1, 1, "nested too deeply"},
		{"attributes 10,000 deep", "x" + strings.Repeat(".a", 10000), 1, 1, "nested too deeply"},
		{"blocks 200 deep", deepBlocks(200), 1, 1, ""},
		{"print as a statement", "print 'x'", 1, 1, "Missing parentheses"},
	}
	for level, job := range map[string]func(string) wire.Job{"restricted": strictPython, "unrestricted": openPython} {
		for _, row := range rows {
			for _, i := range python.ways() { // how deep is too deep differs
				t.Run(level+", "+row.name+", "+string(i.way), func(t *testing.T) {
					t.Parallel()
					out := run(t, i, job(row.code))
					require.Equal(t, "S", string(rune(out.kind)), "%q", out.payload)
					line, column, message, err := wire.DecodeSyntaxError(out.payload)
					require.NoError(t, err)
					assert.Contains(t, message, row.message)
					if row.message != "" {
						assert.Equal(t, [2]uint32{row.line, row.column}, [2]uint32{line, column}, message)
					}
					assert.Positive(t, line)
					assert.Positive(t, column)
					assert.Empty(t, out.stdout)
					assert.Empty(t, out.stderr)
				})
			}
		}
	}
}

func deepBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if 1:\n")
	}
	return b.String() + strings.Repeat(" ", n) + "pass\n"
}
