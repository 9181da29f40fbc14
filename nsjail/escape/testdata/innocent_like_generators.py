# technique: generators that are sent to, thrown into, closed and delegated to
# family: innocents
# innocent: yes
import itertools

def average():
    total = count = 0
    value = None
    while True:
        try:
            value = yield value
        except ValueError:
            total = count = 0
            value = None
            continue
        total, count = total + value, count + 1
        value = total / count

def both(a, b):
    result = yield from a
    yield from b
    return result

g = average()
next(g)
found = [g.send(2), g.send(4), g.throw(ValueError("again")), g.send(9)]
g.close()
found.append(list(both(iter([1]), (x * x for x in range(3)))))
found.append(list(itertools.islice(itertools.accumulate(itertools.count(1)), 4)))
(won if found == [2, 3, None, 9, [1, 0, 1, 4], [1, 3, 6, 10]] else held)(found)
