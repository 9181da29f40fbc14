package profiles_test

import (
	"testing"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// What the tree does not show. The techniques with a control are the probes of
// the battery; here is what each guard says, and that it stays out of the way.
func TestPythonGuardsSayWhatTheyRefuse(t *testing.T) {
	const joined = "n = '__glo' + 'bals__'\nimport json\n"
	checkRuns(t, python, strictPython, []runRow{
		{"a format field", joined + "('{0.' + n + '.x}').format(json.dumps)", 92, "", "PolicyViolation: attribute __globals__ reaches into the interpreter"},
		{"a format field in a mapping", joined + "('{a.' + n + '}').format_map({'a': json.dumps})", 92, "", "PolicyViolation: attribute __globals__"},
		{"a format field in a specification", joined + "('{0:{1.' + n + '}}').format(1, json.dumps)", 92, "", "PolicyViolation: attribute __globals__"},
		{"a field of string.Formatter", joined + "import string\nstring.Formatter().get_field('0.' + n, (json.dumps,), {})", 92, "", "PolicyViolation: attribute __globals__"},
		{"a name of update_wrapper", joined + "import functools\nfunctools.update_wrapper(lambda: 0, json.dumps, assigned=(n,))", 92, "", "PolicyViolation: attribute __globals__"},
		{"a name to delete", joined + "delattr(json.dumps, n)", 92, "", "PolicyViolation: attribute __globals__"},
		{"text of an annotation", "import typing\ntyping.List['print.__self__']", 92, "", "PolicyViolation: in 'print.__self__', attribute __self__ reaches into the interpreter"},
		{"the globals of library code", "import copy\nclass A:\n    def __reduce_ex__(self, p): return globals, ()\ncopy.copy(A())", 92, "", "PolicyViolation: globals is called by the library"},
		{"the variables of library code", "import copy\nclass A:\n    def __reduce_ex__(self, p): return vars, ()\ncopy.copy(A())", 92, "", "PolicyViolation: vars is called by the library"},
		{"names of a module as an enumeration", "import re\ntype(re.I).mro()[-2]._convert_('X', 'posix', len)", 92, "", "PolicyViolation: _convert_ reads the names of a module"},
		{"the table of a class by way of a cached property", "import functools\np = functools.cached_property(len)\np.attrname = 'x'\np.__get__(int)", 92, "", "PolicyViolation: cached_property reads the table of a class"},
		{"a file elsewhere", "import xml.etree.ElementTree as t\nt.parse('/etc/passwd')", 90, "", "PermissionError: [Errno 1] the import policy has no files outside the working directory"},
		{"a file elsewhere by a way up", "import xml.etree.ElementTree as t\nt.ElementTree(t.Element('a')).write('../a')", 90, "", "PermissionError: [Errno 1] the import policy"},
		{"a file elsewhere by a path that answers otherwise", "import typing, xml.etree.ElementTree as t\nclass P:\n    n = 0\n    def __fspath__(self):\n        self.n += 1\n        return typing.__file__ if self.n > 1 else 'absent'\nt.parse(P())", 90, "", "FileNotFoundError: [Errno 2] No such file or directory: 'absent'"},
		{"a file elsewhere by a text that splits otherwise", "import typing, xml.etree.ElementTree as t\nclass P(str):\n    __class__ = str\n    def split(self, *a): return []\n    def __getitem__(self, k): return ''\nt.parse(P(typing.__file__))", 90, "", "PermissionError: [Errno 1] the import policy"},
		{"a generic alias that answers otherwise", "import copy, typing\nnames = ['List', 'sys']\nclass A(type(typing.List[int]), _root=True):\n    _name = property(lambda self: names.pop(0) if names else 'List', lambda self, value: None)\na = A(list, (int,), inst=False, name='List')\nnames = ['List', 'sys', 'sys']\nprint(copy.copy(a))\nraise SystemExit(3)", 3, "typing.List[int]\n", ""},
		{"a name that answers otherwise for a module", "import json\nclass E(str):\n    def __getitem__(self, k): return 'a'\nvars(json)['__getattr__'](E('__builtins__'))", 90, "", "AttributeError: module 'json' has no attribute '__builtins__'"},
		{"the variables of a module that statements import", "m = globals()['__builtins__']['__import__']('__future__')\nprint(m.division.compiler_flag, [n for n in vars(m) if n in ('__builtins__', '__loader__', '__spec__') and vars(m)[n]])\nraise SystemExit(3)", 3, "131072 []\n", ""},
		{"a name that answers otherwise for a generic alias", "import typing\nclass E(str):\n    def startswith(self, *a): return False\nA = typing.List[int]\nfor k in type(A).mro():\n    if get := vars(k).get('__getattr__'): break\nget(A, E('__dict__'))", 90, "", "AttributeError: __dict__"},
		{"a name that a generic alias sets", "import typing\nclass E(str):\n    def startswith(self, *a): return False\nA = typing.List[int]\nA.__origin__ = lambda: 0\nA.__setattr__(E('__code__'), 1)", 92, "", "PolicyViolation: attribute __code__"},
		{"text in the place of a reference's code", "import typing\nr = typing.ForwardRef('int')\nobject.__setattr__(r, '__forward_code__', 'print(1) or int')\nr._evaluate({}, {}, frozenset())", 92, "", "PolicyViolation: what typing evaluates is not what it was given"},
		{"a name that an enumeration copies itself by", "import re, copy\nE = [c for c in re.RegexFlag.mro() if c.__name__ == 'Enum'][0]\nclass A(E):\n    x = 1\n    @property\n    def __class__(self): return print\nA.x._name_ = '__se' + 'lf__'\ncopy.copy(A.x)", 92, "", "PolicyViolation: attribute __self__ reaches into the interpreter"},
		{"code that is made while a generator becomes a coroutine", "import types\nclass D(dict):\n    def __iter__(self): return iter(())\n    def keys(self):\n        types.CodeType(0, 0, 0, 0, 0, 0, b'', (), (), (), '', '', '', 0, b'', b'', (), ())\n        return []\ndef f(): return 1\nobject.__setattr__(f, '__dict__', D())\ntypes.coroutine(f)", 92, "", "PolicyViolation: the program went past the import policy (code.__new__); the run is ended\n"},
		{"what goes past all of it", "import types\nprint('kept', end='')\ntypes.CodeType(0, 0, 0, 0, 0, 0, b'', (), (), (), '', '', '', 0, b'', b'', (), ())", 92, "kept",
			"PolicyViolation: the program went past the import policy (code.__new__); the run is ended\n"},
	})
	checkRuns(t, python, pythonAt(t, "standard"), []runRow{
		{"the table of a type by way of a comparison", "import copy\nclass A:\n    def __reduce_ex__(self, p): return (lambda: dict), (), {'x': 1}\nclass X:\n    def __eq__(self, o): self.o = o; return True\nx = X()\ntry: copy.copy(A())\nexcept AttributeError as e: e.obj == x\nx.o['items'] = 1\nprint({}.items())\nraise SystemExit(3)", 3, "dict_items([])\n", ""},
		{"a private name for a getter", "import operator\noperator.attrgetter('a.__cl' + 'ass__.__ba' + 'ses__')", 92, "", "PolicyViolation: attribute __bases__"},
		{"a method's name for a caller", "import operator\noperator.methodcaller('__sub' + 'classes__')", 92, "", "PolicyViolation: attribute __subclasses__"},
		{"a withheld name that answers otherwise", "import io\nclass F(str):\n    n = 0\n    def __hash__(self):\n        self.n += 1\n        return hash('open') if self.n == 1 else 7\n    def __eq__(self, o): return o == 'open'\n    def __getitem__(self, k): return 'a'\nvars(io)['__getattr__'](F('open'))", 92, "", "PolicyViolation: io.open is withheld"},
		{"the class of a getter", "import operator\ntype(operator.attrgetter('a'))('__di' + 'ct__')(int)", 92, "", "PolicyViolation: attribute __dict__ is read by a getter"},
		{"the class of a method's caller", "import operator\ntype(operator.methodcaller('a'))('__getattri' + 'bute__', '__dict__')", 92, "", "PolicyViolation: attribute __getattribute__"},
		{"what a getter holds", "import operator\nk = operator.attrgetter\nprint(type(k('a')) is k, k('a', 'b'))\nobject.__new__(k)(1)", 90, "True operator.attrgetter('a', 'b')\n", "TypeError: attrgetter made by nobody"},
		{"text that is evaluated", "eval('().__cl' + 'ass__.__ba' + 'ses__')", 92, "", "PolicyViolation: in '().__class__.__bases__', attribute __bases__"},
		{"a blocked name in text that is evaluated", "eval('op' + 'en')", 92, "", "PolicyViolation: in 'open', open is blocked"},
		{"a field of a data class that is text", "import dataclasses\nclass A: __annotations__ = {'{print.__se' + 'lf__}\"#': int}\ndataclasses.dataclass(init=False, eq=False)(A)", 92, "", "PolicyViolation: in a data class, attribute __self__"},
		{"an attribute of sys that is no stream", "import contextlib\nclass R(contextlib.redirect_stdout): _stream = 'modules'\nR(None).__enter__()", 92, "", "PolicyViolation: sys.modules is not a stream"},
		{"the network through an event loop", "import asyncio\nasync def f(): await asyncio.get_running_loop().create_connection(None, 'h', 1)\nasyncio.run(f())", 92, "", "PolicyViolation: create_connection is withheld: a program has no network"},
		{"the class of an event loop's own sockets", "import asyncio\nasync def f(): return type(asyncio.get_running_loop()._csock)\nk = asyncio.run(f())\nprint(k.__name__, k.mro()[1:])\nraise SystemExit(3)", 3, "End [<class 'object'>]\n", ""},
		{"the file beneath a stream", "import sys\nsys.stdout.buffer.raw", 90, "", "AttributeError: 'Buffer' object has no attribute 'raw'"},
		{"the file beneath a stream that was redirected", "import contextlib\nr = contextlib.redirect_stdout(None)\nr.__enter__()\nr._old_targets[0].detach()", 90, "", "AttributeError: 'TextStream' object has no attribute 'detach'"},
	})
}

func TestPythonGuardsStayOutOfTheWay(t *testing.T) {
	checkRuns(t, python, strictPython, []runRow{
		{"formats with attributes and dots", "import datetime\nd = datetime.date(2020, 1, 2)\nprint('{0.year:.1f} {0.__class__.__name__} {1[a]} a.b {{x.__y__}}'.format(d, {'a': 1}), str.format('{}', 1), '{x.year}'.format_map({'x': d}))", 0, "2020.0 date 1 a.b {x.__y__} 1 2020\n", ""},
		{"shows str.format as it is", "print(type(str.format).__name__, str.format, 'x'.format.__name__, str.format.__doc__[:8], str.format_map.__qualname__)", 0, "method_descriptor <method 'format' of 'str' objects> format S.format str.format_map\n", ""},
		{"formats what is a str by class", "class S(str): pass\nprint(S('{}').format(1), [f('{0.real}', 2) for f in [str.format]])", 0, "1 ['2']\n", ""},
		{"copies methods and slots", "import copy\nclass A:\n    __slots__ = ('x', '_y')\n    def f(self): return self.x\na = A()\na.x, a._y = [1], 2\nb = copy.deepcopy(a)\nprint(copy.copy(a.f)() is a.x, b.x, b._y)", 0, "True [1] 2\n", ""},
		{"makes generic aliases and named tuples that define what they like", "import typing\nclass P(typing.NamedTuple):\n    x: int\n    def __reduce__(self): return str, ()\n@typing.runtime_checkable\nclass Q(typing.Protocol):\n    def f(self): ...\nT = typing.TypeVar('T')\nclass G(typing.Generic[T]): pass\nG[int].x = 1\nprint(P(1).__class__.__name__, isinstance(1, Q), G.x, G[int].__name__, G[T][int], G[int]().x, typing.Callable[..., T][int])", 0, "P False 1 G __main__.G[int] 1 typing.Callable[..., int]\n", ""},
		{"copies generic aliases", "import copy, typing\nprint(copy.copy(typing.List[int]), copy.deepcopy(typing.Dict[str, int]), copy.copy(list[int]))", 0, "typing.List[int] typing.Dict[str, int] list[int]\n", ""},
		{"evaluates type hints in names of its own", "from typing import *\nT = TypeVar('T')\nclass A(Generic[T]):\n    x: 'Optional[A[int]]'\n    y: 'T'\ndef f(a: 'A', b: 'List[int]' = None) -> 'None': pass\nprint(get_type_hints(A)['y'] is T, get_type_hints(f)['a'] is A, ForwardRef('A')._evaluate(globals(), None, frozenset()) is A)", 0, "True True True\n", ""},
		{"shows collections.abc as an attribute, whatever else is loaded", "import collections\nfrom collections import abc\nprint(collections.abc.Mapping is abc.Mapping, 'sys' in dir(abc))", 0, "True False\n", ""},
		{"caches a property", "import functools\nclass A:\n    @functools.cached_property\n    def x(self): print('once'); return 1\na = A()\nprint(a.x + a.x)", 0, "once\n2\n", ""},
		{"writes and reads a file of its own", "import xml.etree.ElementTree as t\nt.ElementTree(t.Element('a')).write('a.xml')\nprint(t.parse('a.xml').getroot().tag, [e for e, _ in t.iterparse('a.xml')])", 0, "a ['end']\n", ""},
		{"gives a function other code", "def f(): return 1\ndef g(): return 2\nf.__name__ = 'g'\nprint(f.__name__, f())", 0, "g 1\n", ""},
		{"tells classes of functions", "import types\nprint(type(lambda: 0) is types.FunctionType, isinstance(print, types.BuiltinFunctionType), types.GetSetDescriptorType.__name__, types.MemberDescriptorType.__name__)", 0, "True True getset_descriptor member_descriptor\n", ""},
		{"makes named tuples in modules of their own", "import collections, typing\nP = collections.namedtuple('P', 'x', defaults=[1])\nprint(P(), P.__module__, typing.TypeVar('T').__module__)", 0, "P(x=1) __main__ __main__\n", ""},
		{"tells the subclasses of abstract classes", "import typing, collections\nc = collections.abc\nclass A(collections.UserDict): pass\n@c.Sized.register\nclass B: pass\nprint(issubclass(A, c.MutableMapping), isinstance(B(), c.Sized), issubclass(list, c.Iterable), isinstance({}.keys(), c.Set))", 0, "True True True True\n", ""},
		{"warns", "import re\nclass A:\n    def f(self): re.template('a')\nA().f()\nprint('on')", 0, "on\n", ""},
		{"shows an error in the library", "import json\njson.loads('{')", 90, "", "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\n"},
	})
}

// An operator who allows os has taken the last layers away with it.
func TestPythonLevelOfAnOperatorGetsWhatItAllows(t *testing.T) {
	job := func(code string) wire.Job {
		return jobOf(policy.Level{Imports: []string{"os", "json"}, BlockedNames: []string{"eval"}}, code)
	}
	checkRuns(t, python, job, []runRow{
		{"a module as it is", "import os\nprint(os.path.basename(os.getcwd()) != '', os.sep)", 0, "True /\n", ""},
		{"the variables of a module, but not the interpreter's", "import os\nprint('sep' in vars(os), '__builtins__' in vars(os), '__loader__' in vars(os))", 0, "True False False\n", ""},
		{"files", "with open('a', 'w') as f: f.write('x')\nprint(open('a').read())", 0, "x\n", ""},
	})
}
