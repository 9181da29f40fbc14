from functools import lru_cache


@lru_cache(maxsize=None)
def edit_distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return edit_distance(a[1:], b[1:])
    return 1 + min(edit_distance(a[1:], b), edit_distance(a, b[1:]), edit_distance(a[1:], b[1:]))


def hanoi(n, source="A", spare="B", target="C"):
    if n == 0:
        return
    yield from hanoi(n - 1, source, target, spare)
    yield source, target
    yield from hanoi(n - 1, spare, source, target)


def permutations(items):
    if not items:
        yield ()
    for i, item in enumerate(items):
        for rest in permutations(items[:i] + items[i + 1:]):
            yield (item, *rest)


def flatten(nested):
    for item in nested:
        if isinstance(item, (list, tuple)):
            yield from flatten(item)
        else:
            yield item


def ackermann(m, n):
    return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


print(edit_distance("kitten", "sitting"), edit_distance.cache_info().misses)
print(len(list(hanoi(6))), list(hanoi(2)))
print(["".join(p) for p in permutations("abc")])
print(list(flatten([1, [2, (3, [4])], [[]], 5])), ackermann(2, 3))


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(500))
try:
    depth(10 ** 6)
except RecursionError as e:
    print(type(e).__name__, str(e)[:33])
