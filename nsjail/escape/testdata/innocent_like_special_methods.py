# technique: a class with every kind of special method
# family: innocents
# innocent: yes
import functools

@functools.total_ordering
class Number:
    __slots__ = ("value", "__weakref__")
    kinds = []

    def __init_subclass__(cls, /, kind=None, **rest):
        super().__init_subclass__(**rest)
        cls.kinds.append(kind)

    def __class_getitem__(cls, item):
        return (cls, item)

    def __new__(cls, value=0):
        self = super().__new__(cls)
        self.value = value
        return self

    def __call__(self, *more):
        return sum(more, self.value)

    def __repr__(self):
        return f"{type(self).__name__}({self.value})"

    def __eq__(self, other):
        return isinstance(other, Number) and self.value == other.value

    def __lt__(self, other):
        return self.value < other.value

    def __hash__(self):
        return hash(self.value)

    def __getattr__(self, name):
        if name.startswith("plus_"):
            return self.value + int(name[5:])
        raise AttributeError(name)

    def __contains__(self, item):
        return item <= self.value

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is ZeroDivisionError

    def __del__(self):
        pass

class Real(Number, kind="real"):
    __slots__ = ()

with Real(3) as r:
    1 / 0
ok = [r(1, 2), repr(r), r.plus_4, 2 in r, Number.kinds, Number[int][1] is int, max(Real(1), Real(2)) == Real(2)]
(won if ok == [6, "Real(3)", 7, True, ["real"], True, True] else held)(ok)
