# technique: records of the program's own: named tuples, typed dictionaries, a metaclass that registers
# family: innocents
# innocent: yes
import collections
import typing

class Registry(type):
    classes = {}

    def __new__(meta, name, bases, space, **options):
        cls = super().__new__(meta, name, bases, space)
        meta.classes[name] = sorted(space.get("__annotations__", {}))
        return cls

    def __call__(cls, *args, **kwargs):
        made = super().__call__()
        for name, value in zip(cls.__annotations__, args):
            made.__dict__[name] = value
        made.__dict__.update(kwargs)
        return made

class Record(metaclass=Registry):
    name: str
    size: int = 0

class Pair(typing.NamedTuple):
    left: int
    right: "int" = 2

class Options(typing.TypedDict, total=False):
    process: str

Point = collections.namedtuple("Point", "x y", defaults=(0,))
r = Record("a", size=5)
ok = r.name == "a" and r.size == 5 and Registry.classes["Record"] == ["name", "size"] and Pair(1) == (1, 2)
ok = ok and Point(1)._replace(y=4)._asdict() == {"x": 1, "y": 4} and Options(process="x") == {"process": "x"} and Point._fields == ("x", "y")
(won if ok else held)(r.name)
