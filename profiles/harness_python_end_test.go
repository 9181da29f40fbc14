package profiles_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

// end is what can be seen of how an interpreter ended.
type end struct {
	exit           int
	stdout, stderr string
}

var address = regexp.MustCompile("0x[0-9a-f]+")

// bareEnd runs a program under the interpreter of the host.
func bareEnd(t *testing.T, code string) end {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program.py")
	require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
	cmd := exec.Command(python.path(t), append(append([]string{}, python.flags...), file)...)
	cmd.Env = []string{"HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin"}
	cmd.Dir = t.TempDir()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit status is in ProcessState
	return end{cmd.ProcessState.ExitCode(), stdout.String(), strings.ReplaceAll(stderr.String(), file, "<program>")}
}

// TestPythonEndsAsTheBareInterpreterDoes is about all that a program can have
// called, or can see, while the interpreter ends: leaving early must show nowhere.
func TestPythonEndsAsTheBareInterpreterDoes(t *testing.T) {
	rows := []struct{ name, code string }{
		{"nothing is left", "print(1)"},
		{"a line without an end", "print(1, end='')"},
		{"a finalizer of an object", "class A:\n    def __del__(self): print('gone', self.n)\na, b, c = A(), A(), A()\na.n, b.n, c.n = 1, 2, 3"},
		{"a finalizer that sees the module's names", "x = [1]\nclass A:\n    def __del__(self): print('gone', x)\na = A()"},
		{"a finalizer of an object in a cycle", "class A:\n    def __del__(self): print('gone')\na = A()\na.me = a"},
		{"a finalizer of an object in a cycle that was let go", "class A:\n    def __del__(self): print('gone')\na = A()\na.me = a\ndel a\nprint('end')"},
		{"a finalizer of objects in containers", "class A:\n    def __del__(self): print('gone')\nx = [A(), (A(), {1: A()})]"},
		{"finalizers of objects in a list of a function's", "class A:\n    def __init__(self, n): self.n = n\n    def __del__(self): print('gone', self.n)\ndef f(): x = [A(i) for i in range(3)]\nf()\nprint('end')"},
		{"a finalizer of an object that a function holds", "class A:\n    def __del__(self): print('gone')\ndef f(a=A()): return a"},
		{"a finalizer of an object that a closure holds", "class A:\n    def __del__(self): print('gone')\ndef f():\n    a = A()\n    return lambda: a\ng = f()"},
		{"a finalizer of an object in a class", "class A:\n    def __del__(self): print('gone')\nclass B: a = A()"},
		{"a finalizer of a class without attributes", "class A:\n    __slots__ = ()\n    def __del__(self): print('gone')\na = A()"},
		{"a finalizer of a number", "class A(int):\n    __slots__ = ()\n    def __del__(self): print('gone')\na = A(3)"},
		{"a finalizer of a text", "class A(str):\n    def __del__(self): print('gone', self)\na = A('x')\nx = (a,)"},
		{"a finalizer that is inherited", "class A:\n    def __del__(self): print('gone', type(self).__name__)\nclass B(A): pass\nb = B()"},
		{"a finalizer of a class", "class M(type):\n    def __del__(self): print('gone', self.__name__)\nclass A(metaclass=M): pass"},
		{"a finalizer of a class made by type", "A = type('A', (), {'__' + 'del' + '__': lambda self: print('gone')})\na = A()"},
		{"a finalizer that a class is given later", "class A: pass\na = A()\nA.__del__ = lambda self: print('gone')"},
		{"a finalizer that fails", "class A:\n    def __del__(self): 1/0\na = A()\nprint('end')"},
		{"a finalizer that makes another", "class A:\n    def __init__(self, n): self.n = n\n    def __del__(self):\n        print('gone', self.n)\n        if self.n: globals()['x'] = A(self.n - 1)\na = A(2)"},
		{"a finalizer of what an exception holds", "class A:\n    def __del__(self): print('gone')\ndef f():\n    a = A()\n    raise SystemExit(3)\nf()"},
		{"a finalizer of what an exception holds that is kept", "class A:\n    def __del__(self): print('gone')\ndef f():\n    a = A()\n    1/0\ntry: f()\nexcept Exception as e: x = e\nprint('end')"},
		{"a generator that stands in a try", "def g():\n    try: yield 1\n    finally: print('closed')\nx = g()\nnext(x)\nprint('end')"},
		{"a generator that stands in a with", "class C:\n    def __enter__(self): return self\n    def __exit__(self, *a): print('exit', a[0])\ndef g():\n    with C(): yield 1\nx = g()\nnext(x)"},
		{"a generator that was not started", "def g():\n    try: yield 1\n    finally: print('closed')\nx = g()"},
		{"a generator that is over", "def g(): yield 1\nx = g()\nprint(list(x))"},
		{"a generator that does not let itself be closed", "def g():\n    while True:\n        try: yield 1\n        except GeneratorExit: print('no')\nx = g()\nnext(x)"},
		{"a coroutine that was not awaited", "async def f(): pass\nx = f()\nprint('end')"},
		{"an asynchronous generator", "async def g():\n    try: yield 1\n    finally: print('closed')\nx = g()\ntry: x.__anext__().send(None)\nexcept StopIteration as e: print(e.value)"},
		{"what a cached function holds", "import functools\nclass A:\n    def __del__(self): print('gone')\n@functools.lru_cache\ndef f(): return A()\nf()"},
		{"an error that nothing catches", "class A:\n    def __del__(self): print('gone')\na = A()\n1/0"},
		{"an error that nothing catches, and nothing else", "print(1)\n1/0"},
		{"an exit status", "print(1)\nraise SystemExit(7)"},
		{"a negative exit status", "raise SystemExit(-1)"},
		{"a large exit status", "raise SystemExit(1 << 40)"},
		{"an exit status that is true", "raise SystemExit(True)"},
		{"an exit status that is no number", "raise SystemExit(1.5)"},
		{"an exit status of several", "raise SystemExit(1, 2)"},
		{"an exit message", "print(1)\nraise SystemExit('why')"},
		{"an exit message that says so itself", "class E:\n    def __str__(self): return 'self'\nraise SystemExit(E())"},
		{"an exit of another class", "class E(SystemExit):\n    code = property(lambda self: print('asked') or 5)\nraise E(3)"},
		{"an exit inside a finally", "try: raise SystemExit(3)\nfinally: print('finally')"},
	}
	open := []struct{ name, code string }{
		{"a finalizer of a class that hashes itself", "class M(type):\n    def __hash__(self): print('hash'); return 1\n    def __eq__(self, o): print('eq'); return True\n    def __getattribute__(self, n): print('get', n); return type.__getattribute__(self, n)\nclass A(metaclass=M): pass\na = [A(), A()]\nprint('end')"},
		{"an object that answers to no class", "class A:\n    __class__ = property(lambda self: print('class') or int)\n    def __eq__(self, o): print('eq')\n    def __getattribute__(self, n): print('get', n); return object.__getattribute__(self, n)\na = [A()]\nprint('end')"},
		{"what a module of the library holds", "import json\nclass A:\n    def __del__(self): print('gone')\njson.mine = A()"},
		{"what a class of the library holds", "import json\nclass A:\n    def __del__(self): print('gone')\njson.JSONEncoder.mine = A()"},
		{"a class of the library that is given a finalizer", "import json\njson.dumps([1])\njson.JSONDecoder.__del__ = lambda self: print('gone')\nd = json.JSONDecoder()"},
		{"exit handlers", "import atexit\natexit.register(print, 'a')\natexit.register(print, 'b')\nprint('end')"},
		{"an exit handler that fails", "import atexit\natexit.register(int, 'x')\natexit.register(print, 'b')"},
		{"an exit handler that was taken back", "import atexit\natexit.register(print)\natexit.unregister(print)\nprint('end')"},
		{"a weak reference's callback", "import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, lambda r: print('gone'))"},
		{"a weak reference's callback in C", "import weakref, functools\nclass A: pass\na = A()\nr = weakref.ref(a, functools.partial(print, 'gone', end='!'))"},
		{"a weak finalizer", "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'gone')"},
		{"a weak finalizer that is not for the exit", "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'gone').atexit = False"},
		{"threads to wait for", "import threading, time\ndef f():\n    time.sleep(0.5)\n    print('thread')\nthreading.Thread(target=f).start()\nprint('end')"},
		{"a daemon thread", "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\nprint('end')"},
		{"a pool of threads", "from concurrent.futures import ThreadPoolExecutor\np = ThreadPoolExecutor(2)\nf = p.submit(print, 'thread')\nf.result()"},
		{"a file that is not flushed", "f = open('f', 'w')\nf.write('a')\nimport os\nclass A:\n    def __del__(self, os=os): os.write(1, b'%d' % os.path.getsize('f'))\na = A()"},
		{"a writer above standard output", "import io, sys\nw = io.TextIOWrapper(sys.stdout.buffer)\nw.write('late')"},
		{"a second file of standard output", "f = open(1, 'w', closefd=False)\nf.write('late')"},
		{"bytes behind the text", "import sys\nsys.stdout.buffer.write(b'late')"},
		{"half a line of an error", "import sys\nsys.stderr.write('half')"},
		{"a standard output that is another's", "import sys, io\nclass O(io.StringIO):\n    def flush(self): sys.__stderr__.write('flushed')\nsys.stdout = O()\nprint(1)"},
		{"a standard output whose flush is another's", "import sys\nsys.stdout.flush = lambda: sys.stderr.write('flush\\n')"},
		{"a buffer whose flush is another's", "import sys\nreal = sys.stdout.buffer.flush\ndef flush():\n    sys.stderr.write('flush\\n')\n    real()\nsys.stdout.buffer.flush = flush"},
		{"an object among the modules", "import sys\nclass M:\n    __class__ = property(lambda self: print('class') or int)\nsys.modules['m'] = M()\nprint('end')"},
		{"a module that answers itself", "import sys\nclass M(type(sys)):\n    def __getattribute__(self, n): print('get', n); return super().__getattribute__(n)\nsys.modules['m'] = M('m')\nprint('end')"},
		{"a standard output that is closed", "import sys\nprint(1)\nsys.stdout.close()"},
		{"a standard output that is gone", "import sys\ndel sys.stdout"},
		{"a standard output without its buffer", "import sys\nprint(1, flush=True)\nb = sys.stdout.detach()\nb.write(b'x')"},
		{"an output that takes nothing", "import os, sys\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)\nsys.stdout.write('lost')"},
		{"an error output that takes nothing", "import os, sys\nos.dup2(os.open('/dev/full', os.O_WRONLY), 2)\nsys.stderr.write('lost')"},
		{"a closed descriptor", "import os\nprint(1, end='')\nos.close(1)"},
		{"a hook for what is not raised", "import sys\nsys.unraisablehook = lambda u: print('hook', u.exc_type.__name__)\nclass A:\n    def __del__(self): 1/0\na = A()"},
		{"who traces", "import sys\nsys.settrace(lambda f, e, a: print(e, f.f_code.co_name) if f.f_code.co_name == 'mine' else None)\ndef mine(): pass\nmine()"},
		{"who listens to audit events", "import sys\nsys.addaudithook(lambda e, a: e.startswith('gc.') and print(e))\nprint('end')"},
		{"who is told of collections", "import gc\ngc.callbacks.append(lambda phase, info: None if phase == 'start' else print(info['generation']))\ngc.disable()\ngc.enable()\nprint('end')"},
		{"a directory to be removed", "import tempfile\nd = tempfile.TemporaryDirectory()\nprint('end')"},
		{"a child process", "import subprocess\np = subprocess.Popen(['sleep', '0'])\nprint(p.wait())"},
		{"a forked process", "import os\nif os.fork() == 0: print('child')\nelse:\n    os.wait()\n    print('parent')"},
		{"a signal handler", "import signal, os\nsignal.signal(signal.SIGTERM, lambda *a: print('signal'))\nos.kill(os.getpid(), signal.SIGTERM)"},
		{"an event loop that was left open", "import asyncio\nloop = asyncio.new_event_loop()\nasync def f(): return 1\nprint(loop.run_until_complete(f()))"},
		{"a logger with a handler in memory", "import logging, logging.handlers\nlogging.getLogger().addHandler(logging.handlers.MemoryHandler(10, target=logging.StreamHandler()))\nlogging.getLogger().warning('late')"},
		{"a database of the library", "import sqlite3\nc = sqlite3.connect('d')\nc.execute('create table t (x)')\nprint('end')"},
	}
	check := func(t *testing.T, job func(string) wire.Job, name, code string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := bareEnd(t, code)
			want.stdout, want.stderr = address.ReplaceAllString(want.stdout, "0x"), address.ReplaceAllString(want.stderr, "0x")
			if strings.HasPrefix(want.stderr, "Traceback") || strings.Contains(want.stderr, "\nTraceback") && want.exit == 1 {
				want.exit = 90 // what the harness says of an uncaught exception
			}
			for _, i := range python.ways() {
				t.Run(string(i.way), func(t *testing.T) {
					out := run(t, i, job(code))
					require.Equal(t, "A", string(rune(out.kind)), "%q", out.payload)
					assert.Equal(t, want, end{out.exit, address.ReplaceAllString(out.stdout, "0x"), address.ReplaceAllString(out.stderr, "0x")})
				})
			}
		})
	}
	for _, row := range rows {
		check(t, strictPython, row.name, row.code)
		check(t, openPython, row.name+", unrestricted", row.code)
	}
	for _, row := range open {
		check(t, openPython, row.name, row.code)
	}
}
