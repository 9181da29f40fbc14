from functools import partial, reduce
from itertools import accumulate, chain, compress, count, cycle, dropwhile, islice, product, repeat, starmap, tee
from typing import Callable, Iterable, TypeVar, overload, Sequence, Any

A = TypeVar("A")
B = TypeVar("B")


class Stream:
    def __init__(self, source: Iterable):
        self._source = source

    def map(self, f: Callable[[A], B]) -> "Stream":
        return Stream(map(f, self._source))

    def filter(self, f: Callable[[A], bool]) -> "Stream":
        return Stream(filter(f, self._source))

    def take(self, n: int) -> "Stream":
        return Stream(islice(self._source, n))

    def fold(self, f, start):
        return reduce(f, self._source, start)

    def __or__(self, f):
        return f(self)

    def __iter__(self):
        return iter(self._source)


def batched(items, n):
    it = iter(items)
    while batch := tuple(islice(it, n)):
        yield batch


def memo(f):
    cache = {}
    return lambda *a: cache[a] if a in cache else cache.setdefault(a, f(*a))


fib = memo(lambda n: n if n < 2 else fib(n - 1) + fib(n - 2))
print(list(Stream(count(1)).filter(lambda n: n % 3 == 0).map(lambda n: n * n).take(4)), Stream("abc") | list)
print(fib(60), Stream(range(5)).fold(lambda a, b: a * 10 + b, 0), list(batched("abcdefg", 3)))
print(list(accumulate([3, 1, 4, 1, 5], max)), list(compress("abcdef", cycle([1, 0]))), list(dropwhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(starmap(pow, zip([2, 3], repeat(3)))), ["".join(p) for p in product("ab", "xy")], list(chain.from_iterable([[1], [2, 3]])))
pairs, more = tee((x, y) for x in range(3) for y in range(x))
print(list(pairs), sum(x * y for x, y in more), (lambda f: f(f, 5))(lambda f, n: 1 if n == 0 else n * f(f, n - 1)))
power = partial(lambda base, exp: base ** exp, exp=2)
print(power(5), [*map(lambda p: p(10), [partial(max, 3), partial(min, 3)])], sorted("hello", key=lambda c: ("aeiou".find(c) < 0, c)))
