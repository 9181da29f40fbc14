package profiles_test

import (
	"fmt"
	"strconv"
	"strings"
)

// choices turns bytes into decisions, so that a fuzzer's mutations of the bytes
// are mutations of the program. When they are used up every answer is 0, which
// each grammar takes for the shortest way to an end.
type choices struct{ data []byte }

func (c *choices) n(below int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % below
}

func (c *choices) of(list []string) string { return list[c.n(len(list))] }

func words(text string) []string { return strings.Fields(text) }

// Names that a program may say without being refused, and names that lead out.
var (
	pyModules = words(`json math re datetime time calendar collections functools itertools random statistics string
		base64 hashlib hmac secrets urllib.parse html xml.etree.ElementTree typing types copy pprint textwrap
		workdir operator enum dataclasses contextlib io asyncio decimal abc`)
	pyBuiltins = words(`print len type object str dict list set tuple super property classmethod staticmethod vars dir
		globals locals isinstance hasattr map filter sorted iter next repr format id hash callable range int Exception
		BaseException ImportError help exit input __build_class__ __name__ __import__ eval getattr`)
	pyPublic = words(`join format sys os codecs builtins modules keys values items get args obj name func copy deepcopy
		loads dumps JSONEncoder default object_hook Formatter get_field vformat Template wraps update_wrapper partial reduce
		cached_property singledispatch register dispatch registry get_type_hints ForwardRef NamedTuple new_class prepare_class
		SimpleNamespace MappingProxyType DynamicClassAttribute coroutine FunctionType CodeType ModuleType attrgetter methodcaller
		itemgetter Enum dataclass make_dataclass fields contextmanager ExitStack callback StringIO TreeBuilder XMLParser parse fromstring
		TextCalendar pformat PrettyPrinter namedtuple OrderedDict ChainMap maps Random SystemRandom setstate getstate mro send throw
		close value exceptions with_traceback add_note fget fset setter re enum types warnings abc decoder encoder scanner
		read_text read_bytes write_text write_bytes list_files remove stdin args env`)
	pyHidden = words(`__class__ __dict__ __globals__ __builtins__ __self__ __subclasses__ __mro__ __bases__ __base__ __init__
		__reduce_ex__ __reduce__ __getattribute__ __getattr__ __loader__ __spec__ __code__ __closure__ __wrapped__ __func__ __module__
		__traceback__ __context__ __cause__ gi_frame cr_frame f_back f_globals f_builtins tb_frame tb_next _os _sys _module
		__import__ __name__ __doc__ __annotations__ __call__ __get__ __set_name__ __class_getitem__ __init_subclass__ __format__`)
	pyText = words(`os sys posix builtins open __globals__ {0.__class__} {0.__globals__[sys]} {0.obj} 0.__self__ __self__ x a.b
		__import__('os') sys.modules List[__import__('os')] open('/dev/null') __builtins__ __dict__ __code__ <a/> {} [1] json.codecs`)
)

const pyHead = `got = []
class Own:
    x = 1
    def __init__(self, *a, **k): self.a, self.k = a, k
    def __call__(self, *a, **k):
        got.append((a, k))
        return a[0] if a else self
    def __getattr__(self, name):
        got.append(name)
        if name[:2] == "__": raise AttributeError(name)
        return self
    def __getitem__(self, key):
        got.append(key)
        return self
    def __format__(self, spec): return spec
    def __enter__(self): return self
    def __exit__(self, *a):
        got.append(a)
        return True
    def __iter__(self): return iter([self])
    def __eq__(self, other):
        got.append(other)
        return True
    def __hash__(self): return 1
class Name(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash("json")
    def startswith(self, *a): return False
def few(v): return [x for x, _ in zip(v, range(20))]  # some of them have no end
def note(f):
    try:
        found = f()
        got.append(found)
    except BaseException as e:
        found = e
        got.extend([e, e.args])
        try: got.append(e.obj)
        except Exception: pass
        try: got.append(e.name)
        except Exception: pass
    for look in (vars, few, lambda v: v()):
        try: got.append(look(found))
        except BaseException as e: got.append(e)
last = note
`

// pythonProgram makes a valid program, most of whose names a level allows.
func pythonProgram(c *choices) string {
	var b strings.Builder
	b.WriteString(pyHead)
	bold := c.n(8) == 1 // a program that may be refused for a name
	for range 1 + c.n(8) {
		m := c.of(pyModules)
		switch c.n(3) {
		case 0:
			fmt.Fprintf(&b, "try: import %s as m%d\nexcept ImportError: m%[2]d = Own()\n", m, c.n(4))
		case 1:
			fmt.Fprintf(&b, "try: from %s import *\nexcept ImportError: pass\n", m)
		case 2:
			name := c.of(pyPublic)
			if bold {
				name = c.of(pyHidden)
			}
			fmt.Fprintf(&b, "try: from %s import %s as m%d\nexcept ImportError: pass\n", m, name, c.n(4))
		}
	}
	for i := range 2 + c.n(14) {
		fmt.Fprintf(&b, "note(lambda: %s)\n", pyExpression(c, 3, bold))
		if c.n(3) == 1 {
			fmt.Fprintf(&b, "try: v%d = got[-1 - %d]\nexcept IndexError: pass\n", i%4, c.n(6))
		}
	}
	return b.String()
}

func pyExpression(c *choices, depth int, bold bool) string {
	if depth == 0 {
		return pyAtom(c, bold)
	}
	e := func() string { return pyExpression(c, depth-1, bold) }
	switch c.n(15) {
	case 0:
		return pyAtom(c, bold)
	case 1, 2, 3:
		name := c.of(pyPublic)
		if bold && c.n(2) == 1 {
			name = c.of(pyHidden)
		}
		return "(" + e() + ")." + name
	case 4, 5:
		return e() + "(" + e() + ")"
	case 6:
		return e() + "(" + e() + ", " + e() + ")"
	case 7:
		return "(" + e() + ")[" + e() + "]"
	case 8:
		return pyJoined(c)
	case 9:
		return "few(" + e() + ")"
	case 10:
		return fmt.Sprintf("type('T', (Own,), {%s: %s})", pyJoined(c), e())
	case 11:
		return fmt.Sprintf("(%s).format(%s)", pyJoined(c), e())
	case 12:
		return "f'{" + e() + "}'"
	case 13:
		return e() + "(" + e() + ", " + c.of(words("key default assigned updated ns object_hook element_factory target cls globals localns")) + "=" + e() + ")"
	}
	return "{" + pyJoined(c) + ": " + e() + "}"
}

func pyAtom(c *choices, bold bool) string {
	switch c.n(8) {
	case 0:
		return "m" + strconv.Itoa(c.n(4))
	case 1:
		return "v" + strconv.Itoa(c.n(4))
	case 2:
		name := c.of(pyBuiltins[:len(pyBuiltins)-3])
		if bold {
			name = c.of(pyBuiltins)
		}
		return name
	case 3:
		return c.of(words("Own() Own Name('os') got note 0 1 None (1,) [] {} b'x' Own.x note.__name__ (x for x in [1])"))
	case 4:
		return "(lambda *a, **k: a)"
	case 5:
		return pyJoined(c)
	case 6:
		return c.of(words(`Exception('x') BaseException() KeyError(1) ImportError('x',name='os') type(note) type(got) object()`))
	}
	return "(" + pyJoined(c) + "," + pyJoined(c) + ")"
}

// pyJoined is a text that only the running program puts together.
func pyJoined(c *choices) string {
	text := c.of(append(pyText, pyHidden...))
	at := c.n(len(text) + 1)
	return fmt.Sprintf("(%s + %s)", strconv.Quote(text[:at]), strconv.Quote(text[at:]))
}
