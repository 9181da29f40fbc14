from itertools import count, groupby, islice, takewhile, tee, chain, zip_longest
from collections import deque
from typing import Iterable, Iterator


def primes() -> Iterator[int]:
    composites: dict[int, list[int]] = {}
    for n in count(2):
        if n not in composites:
            yield n
            composites[n * n] = [n]
        else:
            for p in composites.pop(n):
                composites.setdefault(p + n, []).append(p)


def averager():
    total, n, average = 0.0, 0, None
    while True:
        value = yield average
        if value is None:
            return total, n
        total, n = total + value, n + 1
        average = total / n


def collect(results):
    while True:
        results.append((yield from averager()))


def windowed(items: Iterable, size: int):
    window = deque(maxlen=size)
    for item in items:
        window.append(item)
        if len(window) == size:
            yield tuple(window)


print(list(islice(primes(), 12)), list(takewhile(lambda p: p < 30, primes()))[-1])
results = []
coroutine = collect(results)
next(coroutine)
for v in (10, 20, 30):
    print("average", coroutine.send(v))
coroutine.send(None)
print(results)
coroutine.close()
print(list(windowed("abcde", 3)))
print([(k, "".join(g)) for k, g in groupby("AAABBCAA")])
evens, odds = tee(range(6))
print(list(chain((x for x in evens if x % 2 == 0), (x for x in odds if x % 2))), list(zip_longest("abc", [1], fillvalue=0)))
g = (x ** 2 for x in range(3))
print(next(g), sum(g), next(g, "empty"))
