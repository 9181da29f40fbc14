from collections import OrderedDict
from collections.abc import Iterator, MutableMapping
from functools import cached_property, total_ordering, singledispatch, singledispatchmethod, reduce, partial


class LRU(MutableMapping):
    def __init__(self, capacity, **items):
        self.capacity, self._data = capacity, OrderedDict()
        self.update(items)

    def __getitem__(self, key):
        self._data.move_to_end(key)
        return self._data[key]

    def __setitem__(self, key, value):
        self._data[key] = value
        self._data.move_to_end(key)
        if len(self._data) > self.capacity:
            self._data.popitem(last=False)

    def __delitem__(self, key):
        del self._data[key]

    def __iter__(self) -> Iterator:
        return iter(self._data)

    def __len__(self):
        return len(self._data)


@total_ordering
class Version:
    def __init__(self, text):
        self.text = text

    @cached_property
    def parts(self):
        return tuple(int(p) for p in self.text.split("."))

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts

    def __hash__(self):
        return hash(self.parts)

    def __repr__(self):
        return f"v{self.text}"


@singledispatch
def to_text(value):
    return repr(value)


@to_text.register
def _(value: list):
    return "[" + "; ".join(map(to_text, value)) + "]"


@to_text.register(float)
def _(value):
    return f"{value:.1f}"


class Visitor:
    @singledispatchmethod
    def visit(self, node):
        return "?"

    @visit.register
    def _(self, node: int):
        return "int"


cache = LRU(2, a=1)
cache["b"] = 2
cache["a"]
cache["c"] = 3
print(dict(cache), "b" in cache, cache.get("b", "gone"), cache.pop("a"), list(cache.items()), isinstance(cache, MutableMapping))
print(sorted(map(Version, ["1.10", "1.2", "1.9.9"])), Version("2.0") >= Version("1.99"), max(Version("1"), Version("1.1")))
print(to_text([1, 2.55, ["x"]]), Visitor().visit(1), Visitor().visit(""))
print(reduce(lambda a, b: a * b, range(1, 6)), partial(int, base=2)("1010"))
