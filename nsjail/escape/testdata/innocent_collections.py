# technique: counters, queues, named tuples and iterators
# family: innocents
# innocent: yes
import collections
import functools
import itertools

Point = collections.namedtuple("Point", "x y")
count = collections.Counter("mississippi")
window = collections.deque(range(10), maxlen=3)
pairs = list(itertools.combinations("abcd", 2))

@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

ok = Point(1, 2)._replace(x=5) == (5, 2) and count.most_common(1) == [("i", 4)] and list(window) == [7, 8, 9] and len(pairs) == 6
ok = ok and fibonacci(90) == 2880067194370816120 and functools.reduce(lambda a, b: a * b, range(1, 6)) == 120
(won if ok else held)("fibonacci of 90 is %d" % fibonacci(90))
