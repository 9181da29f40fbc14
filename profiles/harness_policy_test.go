package profiles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

func TestPythonPolicyRefusesBeforeRunning(t *testing.T) {
	rows := []struct {
		name string
		code string
		want string // "line:column rule name", one a line
	}{
		{"a blocked module", "import os", "1:8 import_blocked os"},
		{"a module below a blocked one", "import os.path", "1:8 import_blocked os.path"},
		{"a module that is not on the list", "import heapq", "1:8 import_not_allowed heapq"},
		{"a parent of a listed module", "import xml.etree", "1:8 import_not_allowed xml.etree"},
		{"a sibling of a listed module", "import urllib.request", "1:8 import_not_allowed urllib.request"},
		{"a module below a listed one", "from json.tool import main", "1:1 import_not_allowed json.tool"},
		{"names from a blocked module", "from os import path, getcwd", "1:1 import_blocked os"},
		{"a star from a blocked module", "from os import *", "1:1 import_blocked os"},
		{"a relative import", "from . import x", "1:1 import_not_allowed ."},
		{"a module out of a listed one", "from json import codecs, loads", "1:18 attribute_blocked json.codecs"},
		{"a private name out of a listed module", "from random import _os", "1:20 attribute_blocked random._os"},
		{"a package out of a listed module's parent", "from xml.etree import ElementTree, cElementTree", "1:36 import_not_allowed xml.etree.cElementTree"},
		{"an import inside a function that never runs", "def f():\n    import sys", "2:12 import_blocked sys"},
		{"a blocked builtin", "print(open('x'))", "1:7 name_blocked open"},
		{"a blocked builtin under another name", "f = eval", "1:5 name_blocked eval"},
		{"__import__", "__import__('os')", "1:1 name_blocked __import__"},
		{"__builtins__", "print(__builtins__)", "1:7 name_blocked __builtins__"},
		{"a dunder attribute", "print(().__class__.__bases__)", "1:7 attribute_blocked __bases__"},
		{"a dunder written full-width", "().__cl\uff41ss__.__b\uff41ses__", "1:1 attribute_blocked __bases__"},
		{"the globals of a function", "def f(): pass\nf.__globals__", "2:1 attribute_blocked __globals__"},
		{"a frame of a generator", "g = (x for x in [])\ng.gi_frame", "2:1 attribute_blocked gi_frame"},
		{"a class to be replaced", "class A: pass\nA().__class__ = int", "2:1 attribute_blocked __class__"},
		{"a private attribute of a module", "import random\nrandom._os.getpid()", "2:1 attribute_blocked _os"},
		{"an attribute in a pattern", "match print:\n    case object(__self__=x): pass", "2:10 attribute_blocked __self__"},
		{"an attribute in a format string", "'{0.__globals__}'.format(1)", "1:1 attribute_blocked __globals__"},
		{"the column after wide characters", "é = 'ü'; import os", "1:17 import_blocked os"},
		{"all places, in their order", "import os, json, sys\nx = eval\nfrom pickle import loads",
			"1:8 import_blocked os\n1:18 import_blocked sys\n2:5 name_blocked eval\n3:1 import_blocked pickle"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, i := range python.oneWay() { // the check sees the text and the lists, whatever was made ready
				assert.Equal(t, row.want, refusals(t, run(t, i, strictPython("print('ran')\n"+row.code)), 1), i.way)
			}
		})
	}
}

func TestPythonPolicyNeverSendsMoreThanTheDaemonTakes(t *testing.T) {
	long := "__" + strings.Repeat("x", 5000) + "__"
	out := run(t, python, strictPython(strings.Repeat("a."+long+"\n", 150)))
	isLargestRefusal(t, out)
}

// isLargestRefusal wants as many violations as the daemon takes, in a frame that it
// takes.
func isLargestRefusal(t *testing.T, out outcome) {
	t.Helper()
	require.Equal(t, "V", string(rune(out.kind)))
	list, err := wire.DecodeViolations(out.payload)
	require.NoError(t, err)
	assert.Len(t, list, wire.MaxViolations)
	assert.Less(t, len(out.payload), wire.MaxReply)
}

func TestPythonPolicyLetsHonestProgramsPass(t *testing.T) {
	checkRuns(t, python, strictPython, []runRow{
		{"a listed module under its parents", "import xml.etree.ElementTree\nprint(xml.etree.ElementTree.fromstring('<a/>').tag)", 0, "a\n", ""},
		{"the same module by three ways", "import xml.etree.ElementTree as A\nfrom xml.etree import ElementTree as B\nimport xml.etree.ElementTree\nprint(A is B is xml.etree.ElementTree)", 0, "True\n", ""},
		{"urllib.parse", "import urllib.parse\nfrom urllib.parse import quote\nprint(quote('a b'), urllib.parse.urlsplit('http://h/p').path)", 0, "a%20b /p\n", ""},
		{"a submodule as attribute", "import json\ntry: json.loads('{')\nexcept json.decoder.JSONDecodeError as e: print('bad')", 0, "bad\n", ""},
		{"abstract collections", "import collections\nprint(isinstance([], collections.abc.Iterable))", 0, "True\n", ""},
		{"a star import", "from math import *\nprint(floor(pi))", 0, "3\n", ""},
		{"private attributes of its own", "class A:\n    def __init__(self): self._x = 1; self.__y = 2\n    def y(self): return self.__y\na = A()\nprint(a._x, a.y())", 0, "1 2\n", ""},
		{"named tuples", "from collections import namedtuple\nP = namedtuple('P', 'x y')\nprint(P(1, 2)._replace(x=3)._asdict(), P._fields)", 0, "{'x': 3, 'y': 2} ('x', 'y')\n", ""},
		{"the name of a class", "class A: pass\nprint(A().__class__.__name__, type(A()).__qualname__, '{.__class__.__name__}'.format(1))", 0, "A A int\n", ""},
		{"attributes of an object", "class A:\n    def __init__(self): self.x = 1\nprint(vars(A()))\na = A()\nprint(a.__dict__)", 0, "{'x': 1}\n{'x': 1}\n", ""},
		{"special methods and super", "class A(dict):\n    def __init__(self, *a):\n        super().__init__(*a)\n    def __getitem__(self, k):\n        return super().__getitem__(k)\n    def __getattr__(self, n): return n\nprint(A({'a': 1})['a'], A().zz)", 0, "1 zz\n", ""},
		{"a decorator", "import functools\ndef d(f):\n    @functools.wraps(f)\n    def g(*a): return f(*a)\n    return g\n@d\ndef h(): 'doc'\nprint(h.__name__, h.__doc__, h.__wrapped__.__name__)", 0, "h doc h\n", ""},
		{"a function named as a blocked builtin", "def compile(x): return x + 1\nprint(compile(1))", 0, "2\n", ""},
		{"a method named as a blocked builtin", "import re\nclass F:\n    def open(self): return 1\nprint(re.compile('a').pattern, F().open())", 0, "a 1\n", ""},
		{"a parameter named as a blocked module", "def f(os, sys=1): return os + sys\nprint(f(1))", 0, "2\n", ""},
		{"braces and dots in text", "print('{a.b} {__name__}', f'{1}.__x__', '{\"k\": \"a.__b\"}')", 0, "{a.b} {__name__} 1.__x__ {\"k\": \"a.__b\"}\n", ""},
		{"library code that imports when called", "import functools, string, typing, pprint\n@functools.singledispatch\ndef f(x): return 1\nprint(f(1), string.Formatter().format('{}', 1), string.Template('$a').substitute(a=1))\npprint.pprint({'a': 1})\nclass N(typing.NamedTuple):\n    x: int\nprint(N(1))", 0, "1 1 1\n{'a': 1}\nN(x=1)\n", ""},
		{"regular expression templates", "import re\nprint(re.sub(r'(a)', r'\\1\\1', 'ba'))", 0, "baa\n", ""},
		{"copies of what it defines", "import copy, datetime\nclass A:\n    def __init__(self): self.x = [1]\nb = copy.deepcopy(A())\nprint(b.x, copy.copy(datetime.date(2020, 1, 1)))", 0, "[1] 2020-01-01\n", ""},
		{"type hints of what it defines", "from typing import get_type_hints, List\nclass A:\n    x: 'List[int]'\nprint(get_type_hints(A))", 0, "{'x': typing.List[int]}\n", ""},
		{"time zones and formats", "import datetime, time\nprint(datetime.datetime(2020, 1, 2).strftime('%d'), time.strftime('%Y', time.gmtime(0)))", 0, "02 1970\n", ""},
	})
}

func TestPythonGuardRefusesAtRunTime(t *testing.T) {
	const hints = "from typing import get_type_hints\ndef f(x: %q): pass\n"
	checkRuns(t, python, strictPython, []runRow{
		{"an import that the tree does not show", fmt.Sprintf(hints, "__import__('os')") + "get_type_hints(f)", 92, "", "PolicyViolation: in \"__import__('os')\", __import__ reaches into the interpreter"},
		{"the same, caught", fmt.Sprintf(hints, "__import__('os')") + "try: get_type_hints(f)\nexcept Exception as e: print(type(e).__name__)", 0, "PolicyViolation\n", ""},
		{"a blocked builtin that the tree does not show", fmt.Sprintf(hints, "open('/dev/null')") + "get_type_hints(f)", 90, "", "NameError: name 'open' is not defined"},
		{"a module inside an allowed one", "import json\njson.codecs", 90, "", "module 'json' has no attribute 'codecs'"},
		{"a sibling of an allowed submodule", "import urllib.parse\nurllib.request", 90, "", "module 'urllib' has no attribute 'request'"},
	})
}

func TestPythonCopiesOfModulesMissNothingPublic(t *testing.T) {
	job := strictPython("")
	withheld := map[string]string{"base64": "main test", "calendar": "main"} // their command lines
	probe := func(name string) string {
		return "import " + name + " as m\nprint(sorted(n for n in dir(m) if n[0] != '_' and not isinstance(vars(m)[n], type(m)) and n not in '" + withheld[name] + "'.split()))"
	}
	for _, name := range job.Imports {
		t.Run(name, func(t *testing.T) {
			inside := run(t, python, strictPython(probe(name)))
			bare := run(t, python, openPython(probe(name)))
			require.Equal(t, 0, bare.exit, bare.stderr)
			assert.Greater(t, len(bare.stdout), 10)
			assert.Equal(t, bare.stdout, inside.stdout, inside.stderr)
		})
	}
}
