package profiles_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// pythonAt is a job maker for a level of the built-in profile.
func pythonAt(t testing.TB, level string) func(string) wire.Job {
	t.Helper()
	all, err := profiles.Default()
	require.NoError(t, err)
	l, ok := all[string(policy.Python)].Levels[level]
	require.True(t, ok, level)
	return func(code string) wire.Job { return jobOf(l, code) }
}

func TestPythonTablesOfObjectsAreAsBare(t *testing.T) {
	both := []runRow{
		{"reads and changes its own", "class A: pass\na = A()\na.__dict__['x'] = 1\na.__dict__.update(y=2)\nprint(a.x, a.__dict__, vars(a))", 0, "1 {'x': 1, 'y': 2} {'x': 1, 'y': 2}\n", ""},
		{"gives itself another", "class A:\n    shared = {'x': 1}\n    def __init__(self): self.__dict__ = self.shared\nprint(A().x)", 0, "1\n", ""},
		{"lists a class's names", "class A:\n    x = 1\n    def __getattr__(self, name): return name\nprint([n for n in A.__dict__], [n for n in vars(A)])", 0,
			"['__module__', 'x', '__getattr__', '__dict__', '__weakref__', '__doc__'] ['__module__', 'x', '__getattr__', '__dict__', '__weakref__', '__doc__']\n", ""},
		{"does not change a class's", "class A: x = 1\ntry: A.__dict__['x'] = 2\nexcept TypeError as e: print(e)", 0, "'mappingproxy' object does not support item assignment\n", ""},
		{"asks what has none", "try: (1).__dict__\nexcept AttributeError as e: print(e)\ntry: vars(1)\nexcept TypeError as e: print(e)", 0,
			"'int' object has no attribute '__dict__'\nvars() argument must have __dict__ attribute\n", ""},
		{"names an error's place", "x = 1\nprint(x.__dict__)", 90, "", "line 2, in <module>\n    print(x.__dict__)\n          ^^^^^^^^^^\nAttributeError: 'int' object has no attribute '__dict__'"},
		{"looks at variables", "g = 1\ndef f(a):\n    b = 2\n    return locals(), vars(), sorted(dir())\nprint(f(1), 'g' in globals(), globals()['f'] is f, 'g' in locals())", 0,
			"({'a': 1, 'b': 2}, {'a': 1, 'b': 2}, ['a', 'b']) True True True\n", ""},
		{"looks at a class's variables while it is made", "class A:\n    x = 1\n    y = sorted(n for n in locals() if n[0] != '_')\n    locals()['z'] = 3\nprint(A.y, A.z)", 0, "['x'] 3\n", ""},
		{"sets attributes through super and object", "class A:\n    def __setattr__(self, name, value):\n        super().__setattr__(name, value * 2)\n    def __delattr__(self, name):\n        object.__delattr__(self, name)\na = A()\na.x = 1\nobject.__setattr__(a, 'y', 1)\nprint(a.x, a.y)\ndel a.x\nprint(hasattr(a, 'x'))", 0, "2 1\nFalse\n", ""},
		{"binds global and nonlocal names", "x = 1\ndef f():\n    global x\n    x = 2\n    y = 3\n    def g():\n        nonlocal y\n        y = 4\n    g()\n    return y\nprint(f(), x)", 0, "4 2\n", ""},
		{"shows where an error was raised", "try: 1/0\nexcept Exception as e: print(e.__traceback__.tb_lineno, e.__traceback__.tb_next)", 0, "1 None\n", ""},
	}
	t.Run("strict", func(t *testing.T) { checkRuns(t, python, strictPython, both) })
	t.Run("standard", func(t *testing.T) { checkRuns(t, python, pythonAt(t, "standard"), both) })
	t.Run("bare", func(t *testing.T) { checkRuns(t, python, openPython, both) })
}

func TestPythonPatternsMatchAsBare(t *testing.T) {
	const classes = "from typing import NamedTuple\nfrom collections import namedtuple\n" +
		"class A:\n    __match_args__ = ('x', 'y')\n    def __init__(self, x, y): self.x, self.y = x, y\n" +
		"class B(A): pass\nclass C(NamedTuple):\n    x: int\n    y: int = 0\nD = namedtuple('D', 'x, y')\n" +
		"class E(namedtuple('E', ['x', 'y'])): pass\nclass F(int): pass\n" +
		"def f(v):\n    match v:\n"
	rows := []runRow{}
	for _, row := range [][3]string{
		{"a class with names", "case A(1, b): return b", "f(A(1, 2)), f(B(1, 3)), f(A(2, 3))|2 3 None"},
		{"a class that inherits them", "case B(a, y=b): return a, b", "f(B(1, 3)), f(A(1, 3))|(1, 3) None"},
		{"a typed named tuple", "case C(a, b): return a, b", "f(C(1)), f(C(2, 3))|(1, 0) (2, 3)"},
		{"a named tuple", "case D(a): return a", "f(D(1, 2))|1"},
		{"a class made of one", "case E(a, b): return b", "f(E(1, 2))|2"},
		{"nested classes", "case A(A(a, _), D(b, c)): return a, b, c", "f(A(A(1, 0), D(2, 3)))|(1, 2, 3)"},
		{"a type and a name", "case int(n): return n\n        case str(s) if s: return s * 2\n        case list(items): return len(items)", "f(4), f('x'), f(''), f([1, 2])|4 xx None 2"},
		{"a type and a pattern", "case int(1 | 2): return 'few'\n        case str('a' | 'b' as s): return s\n        case list([x, *_]): return x", "f(2), f(3), f('b'), f([7, 8])|few None b 7"},
		{"a class made of a type", "case F(n): return n", "f(F(5)), f(5)|5 None"},
		{"attributes by name", "case A(x=1, y=A(x=b)): return b", "f(A(1, A(2, 3)))|2"},
	} {
		expression, want, _ := strings.Cut(row[2], "|")
		rows = append(rows, runRow{row[0], classes + "        " + row[1] + "\nprint(" + expression + ")", 0, want + "\n", ""})
	}
	t.Run("strict", func(t *testing.T) { checkRuns(t, python, strictPython, rows) })
	t.Run("bare", func(t *testing.T) { checkRuns(t, python, openPython, rows) })
	data := []runRow{
		{"data classes", "from dataclasses import dataclass, field, KW_ONLY\nfrom typing import ClassVar\n@dataclass\nclass A:\n    x: int\n    z: ClassVar[int] = 3\n    y: int = field(default=2)\n    _: KW_ONLY\n    k: int = 5\n@dataclass(frozen=True)\nclass B(A):\n    w: int = 7\nmatch A(1):\n    case A(a, b): print(a, b, A.__match_args__)\n", 90, "", "TypeError: cannot inherit frozen dataclass from a non-frozen one"},
		{"data classes that inherit", "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n@dataclass(order=True)\nclass B(A):\n    y: int = 2\nmatch B(1):\n    case B(a, b): print(a, b, B.__match_args__)\n", 0, "1 2 ('x', 'y')\n", ""},
	}
	t.Run("data classes", func(t *testing.T) { checkRuns(t, python, pythonAt(t, "standard"), data) })
	t.Run("data classes, bare", func(t *testing.T) { checkRuns(t, python, openPython, data) })
}

func TestPythonStandardAllowsThePureLibrary(t *testing.T) {
	checkRuns(t, python, pythonAt(t, "standard"), []runRow{
		{"heaps and bisection", "import heapq, bisect\nprint(heapq.nsmallest(2, [3, 1, 2]), bisect.bisect([1, 3], 2))", 0, "[1, 2] 1\n", ""},
		{"getters of public attributes", "import operator, collections\nP = collections.namedtuple('P', 'x y')\ng = operator.attrgetter('x', 'y')\nprint(g(P(1, 2)), isinstance(g, operator.attrgetter), operator.methodcaller('upper')('a'), sorted([P(2, 1)], key=operator.attrgetter('x')))", 0, "(1, 2) True A [P(x=2, y=1)]\n", ""},
		{"getattr and setattr with names that are written out", "class A: pass\na = A()\nsetattr(a, 'x', 1)\nprint(getattr(a, 'x'), getattr(a, 'y', None))", 0, "1 None\n", ""},
		{"expressions that are evaluated", "x = 2\ndef f(y): return eval('x + y')\nprint(f(3), eval(' 1 + 1'), eval('a * 2', {'a': 4}), eval('len(b)', {'b': 'xyz'}))", 0, "5 2 8 3\n", ""},
		{"data classes", "from dataclasses import *\n@dataclass(frozen=True, order=True)\nclass A:\n    x: int\n    y: list = field(default_factory=list)\na = A(1)\ntry: a.x = 2\nexcept FrozenInstanceError as e: print(e)\nprint(a, replace(a, x=3), asdict(a), hash(A(1, ())) is not None, A(1) < A(2))", 0, "cannot assign to field 'x'\nA(x=1, y=[]) A(x=3, y=[]) {'x': 1, 'y': []} True True\n", ""},
		{"enumerations", "from enum import *\nclass C(IntFlag):\n    A = auto()\n    B = auto()\nprint(C.A | C.B, C(3), Enum('E', 'x y').x)", 0, "3 3 E.x\n", ""},
		{"an event loop and its timers", "import asyncio\nasync def f(n):\n    await asyncio.sleep(0.001 * n)\n    return n\nasync def main():\n    async with asyncio.timeout(5):\n        print(await asyncio.gather(*map(f, range(3))), await asyncio.to_thread(sum, [1, 2]))\nasyncio.run(main())", 0, "[0, 1, 2] 3\n", ""},
		{"threads, and a hook for their errors", "import threading\nthreading.excepthook = lambda args: print('hook', args.exc_type.__name__)\nt = threading.Thread(target=lambda: 1/0)\nt.start(); t.join()", 0, "hook ZeroDivisionError\n", ""},
		{"streams in memory", "import io, csv, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out): print('in')\nprint(repr(out.getvalue()), list(csv.reader(io.StringIO('a,b'))), io.TextIOWrapper(io.BytesIO(b'x')).read())", 0, "'in\\n' [['a', 'b']] x\n", ""},
		{"numbers and streams of sys", "import sys\nprint(sys.maxsize > 0, sys.version_info >= (3, 11), file=sys.stderr)\nsys.stdout.write('w\\n')\nsys.exit(3)", 3, "w\n", "True True\n"},
		{"streams of bytes and streams that it replaces", "import sys, io\nsys.stdout.buffer.write(b'b\\n')\nsys.stdout.flush()\nold, sys.stdout = sys.stdout, io.StringIO()\nprint('in')\ntext, sys.stdout = sys.stdout.getvalue(), old\nprint(repr(text), sys.stdout is old, list(sys.stdin), sys.stdin.readline() == '', sys.stdout.encoding)", 0, "b\n'in\\n' True [] True utf-8\n", ""},
		{"exact numbers", "from decimal import Decimal, getcontext\nfrom fractions import Fraction\ngetcontext().prec = 5\nprint(Decimal(1) / 3, Fraction(1, 3) + 1)", 0, "0.33333 4/3\n", ""},
		{"time zones and identifiers", "import zoneinfo, uuid, datetime\nprint(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).utcoffset(), uuid.UUID(int=1), uuid.uuid4().version, uuid.uuid1().version)", 0, "2:00:00 00000000-0000-0000-0000-000000000001 4 1\n", ""},
		{"coroutines of generators", "import types, asyncio\n@types.coroutine\ndef f():\n    yield\n    return 5\nasync def g(): return await f()\nprint(asyncio.run(g()))", 0, "5\n", ""},
	})
}

func TestPythonRefusalsNameTheAlternative(t *testing.T) {
	rows := []struct{ name, level, code, want string }{
		{"a module of the next level", "strict", "import heapq", "sorted, min and max do the same work"},
		{"a module of the next level without an alternative", "strict", "import zlib", "module zlib is not on the list of allowed imports"},
		{"a part of a package that draws", "strict", "import matplotlib.pyplot as plt", "write a plot as SVG"},
		{"a package that nobody thought of", "strict", "import flask", "no packages are installed, at any policy"},
		{"a module of the library that reads bytes", "strict", "import struct", "int.from_bytes"},
		{"a module of the library that writes lines", "standard", "import logging", "print what you want to see"},
		{"open", "strict", "open('x')", `use workdir: import workdir; workdir.read_text("name")`},
		{"getattr with a name that is put together", "standard", "getattr(1, 're' + 'al')", "getattr may only be called, with the name of a public attribute that is written out as a string"},
		{"getattr that is not called", "standard", "list(map(getattr, [], []))", "may only be called"},
		{"getattr with a private name", "standard", "getattr(1, '__class__')", "may only be called"},
		{"the bases of a class", "strict", "int.__mro__", "A.mro() gives the same"},
		{"files by io", "standard", "import io\nio.open('x')", "io.open is withheld: workdir reads and writes files, StringIO and BytesIO work in memory"},
		{"a name out of io", "standard", "from io import FileIO", "io.FileIO is withheld"},
		{"modules of sys", "standard", "import sys\nsys.modules", "sys.modules is withheld: a program sees numbers and streams of it"},
		{"a debugger", "strict", "breakpoint()", "breakpoint is blocked: print what you want to see"},
		{"a pattern whose attributes the text does not show", "strict", "def f(C, v):\n    match v:\n        case C(a): pass", "write case C(x=a, y=b)"},
		{"a table that is changed in place", "strict", "class A: pass\nA().__dict__ |= {}", "use its method update"},
		{"the interpreter's own name", "strict", "__builtins__ = {}", "is the interpreter's own"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, i := range python.oneWay() { // the check sees the text and the lists, whatever was made ready
				out := run(t, i, pythonAt(t, row.level)(row.code))
				require.Equal(t, "V", string(rune(out.kind)), "%q %s", out.payload, out.stderr)
				list, err := wire.DecodeViolations(out.payload)
				require.NoError(t, err)
				require.Len(t, list, 1)
				assert.Contains(t, list[0].Message, row.want)
			}
		})
	}
}

func TestPythonWithoutAPolicySaysThatThereAreNoPackages(t *testing.T) {
	relaxed := func(code string) wire.Job { return wire.Job{Code: code, Unrestricted: true} }
	for _, row := range []struct{ name, code, want string }{
		{"one with an alternative", "raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')", "No module named 'numpy'\n(no packages are installed: use lists, math and statistics)\n"},
		{"one without", "import flask.views", "No module named 'flask'\n(no packages are installed)\n"},
		{"a module of the library that is left out", "import ctypes.nosuch", "No module named 'ctypes.nosuch'\n"},
		{"another error", "{}[0]", "KeyError: 0\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := run(t, python, relaxed(row.code))
			assert.True(t, strings.HasSuffix(out.stderr, row.want), "%s", out.stderr)
		})
	}
}

func TestPythonChecksWithoutRunning(t *testing.T) {
	rows := []struct {
		name, level, code, want string
	}{
		{"imports, whole and sorted", "strict", "import re, json\nfrom xml.etree import ElementTree\nfrom urllib.parse import quote\nfrom __future__ import annotations", "json\nre\nurllib.parse\nxml.etree.ElementTree"},
		{"an import inside a function", "strict", "def f():\n    try:\n        import math\n    except ImportError: pass", "math"},
		{"none", "strict", "1/0", ""},
		{"imports of a level without lists", "relaxed", "import os.path\nfrom sys import argv", "os.path\nsys"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			job := pythonAt(t, row.level)("print('ran')\n" + row.code)
			if strings.Contains(row.code, "__future__") {
				job.Code = row.code[strings.Index(row.code, "from __future__"):] + "\nprint('ran')\n" + row.code[:strings.Index(row.code, "from __future__")]
			}
			job.CheckOnly = true
			for _, i := range python.ways() {
				out := run(t, i, job)
				require.Equal(t, "C", string(rune(out.kind)), "%q", out.payload)
				count, list, err := wire.DecodeImports(out.payload)
				require.NoError(t, err)
				assert.Len(t, list, count)
				assert.Equal(t, row.want, strings.Join(list, "\n"))
				assert.Equal(t, 0, out.exit)
				assert.Empty(t, out.stdout, "it ran")
			}
		})
	}
}

// However many there are, they fit into a frame that the daemon takes.
func TestACheckListsImportsUpToABoundAndCountsAll(t *testing.T) {
	many := func(head, format, end string) string {
		var b strings.Builder
		for n := range 100000 {
			fmt.Fprintf(&b, format, 100000+n)
		}
		return head + b.String() + end
	}
	long := strings.Repeat("x", wire.MaxImportBytes)
	python := func(code string) wire.Job { return pythonAt(t, "relaxed")(code) }
	for _, row := range []struct {
		name          string
		job           wire.Job
		count, listed int
	}{
		{"100,000 in Python", python(many("import a", ",a%d", "")), 100001, wire.MaxImports},
		{"40,000 in JavaScript", openJavaScript(many("", "import'%d';", "")[:40000*len("import'100000';")]), 40000, wire.MaxImports},
		{"a long name in Python", python("import json, " + long + ", x" + long), 3, 2},
		{"a long name in JavaScript", openJavaScript("require('util'); require('" + long + "'); require('x" + long + "')"), 3, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.job.CheckOnly = true
			i := javascript
			if strings.Contains(row.name, "Python") {
				i = pythonText
			}
			out := run(t, i, row.job)
			require.Equal(t, "C", string(rune(out.kind)), "%.200q", out.payload)
			count, list, err := wire.DecodeImports(out.payload)
			require.NoError(t, err)
			assert.Equal(t, row.count, count)
			assert.Len(t, list, row.listed)
		})
	}
}

// The walk finds what it looks for when a real module is among the roots.
func TestPythonReachesNothingOfTheInterpreterByNames(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	all, err := profiles.Default()
	require.NoError(t, err)
	for _, name := range []string{"strict", "standard"} {
		level := all[string(policy.Python)].Levels[name]
		for planted, want := range map[string]string{"": "", "random": "planted.module is <module"} {
			t.Run(fmt.Sprintf("%s, planted %q", name, planted), func(t *testing.T) {
				out, err := exec.Command(python.path(t), "-I", "-S", "-B", filepath.Join("testdata", "python", "reach.py"),
					dir, strings.Join(level.Imports, ","), strings.Join(level.BlockedNames, ","), planted).CombinedOutput()
				require.NoError(t, err, string(out))
				if planted == "" {
					assert.Regexp(t, `^\d{5,} objects\n$`, string(out))
				} else {
					assert.Contains(t, string(out), want)
				}
			})
		}
	}
}
