# technique: data classes, enumerations and context managers of the standard level
# family: innocents
# innocent: yes
# policy: standard
import contextlib
import dataclasses
import enum
import io
import operator
from dataclasses import dataclass, field

class Colour(enum.Enum):
    RED = "r"
    GREEN = "g"

    @classmethod
    def first(cls):
        return next(iter(cls))

class Right(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()

@dataclass(order=True, frozen=True)
class Point:
    x: int
    y: int = 0
    tags: list = field(default_factory=list, compare=False)

@dataclass(slots=True, kw_only=True)
class Box:
    size: "int" = 1

    def __post_init__(self):
        self.size += 1

@contextlib.contextmanager
def opened(name):
    log.append("open " + name)
    try:
        yield name.upper()
    finally:
        log.append("close")

log = []
with opened("x") as name, contextlib.suppress(KeyError):
    {}[name]
with contextlib.redirect_stdout(io.StringIO()) as text:
    print("hidden")
with contextlib.ExitStack() as stack:
    stack.callback(log.append, "last")
p = Point(1, 2)
match p:
    case Point(x, y):
        log.append(x + y)
box = Box(size=3)
ok = log == ["open x", "close", "last", 3] and text.getvalue() == "hidden\n" and dataclasses.asdict(p) == {"x": 1, "y": 2, "tags": []}
ok = ok and Colour("r") is Colour.RED and Colour.first().name == "RED" and Right.READ | Right.WRITE == Right(3) and Right.READ in Right(3)
ok = ok and sorted([Point(2), Point(1)])[0].x == 1 and dataclasses.replace(p, y=5).y == 5 and box.size == 4 and repr(box) == "Box(size=4)"
ok = ok and sorted([{"a": 2}, {"a": 1}], key=operator.itemgetter("a"))[0]["a"] == 1 and operator.attrgetter("x")(p) == 1 and operator.methodcaller("upper")("a") == "A"
ok = ok and getattr(p, "x") == 1 and getattr(p, "z", None) is None and [f.name for f in dataclasses.fields(Point)] == ["x", "y", "tags"]
setattr(box, "size", 9)
(won if ok and box.size == 9 else held)(log)
