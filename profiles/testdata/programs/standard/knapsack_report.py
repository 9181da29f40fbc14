import dataclasses
import functools
import itertools
import operator
from fractions import Fraction


@dataclasses.dataclass(unsafe_hash=True)
class Item:
    name: str
    weight: int
    value: int
    ratio: Fraction = dataclasses.field(init=False, repr=False)

    def __post_init__(self):
        self.ratio = Fraction(self.value, self.weight)


ITEMS = [Item("map", 9, 150), Item("compass", 13, 35), Item("water", 153, 200), Item("sandwich", 50, 160), Item("glucose", 15, 60), Item("tin", 68, 45)]


@functools.cache
def best(i: int, room: int) -> tuple[int, tuple[str, ...]]:
    if i == len(ITEMS):
        return 0, ()
    skip = best(i + 1, room)
    item = ITEMS[i]
    if item.weight > room:
        return skip
    value, names = best(i + 1, room - item.weight)
    take = value + item.value, (item.name, *names)
    return max(skip, take, key=operator.itemgetter(0))


print(best(0, 200), best.cache_info().currsize > 10)
print([i.name for i in sorted(ITEMS, key=operator.attrgetter("ratio"), reverse=True)][:3], ITEMS[0])
subsets = itertools.chain.from_iterable(itertools.combinations(ITEMS, r) for r in range(len(ITEMS) + 1))
feasible = [s for s in subsets if sum(i.weight for i in s) <= 200]
print(len(feasible), max(sum(i.value for i in s) for s in feasible) == best(0, 200)[0])


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child


print(list(Node(1, [Node(2, [Node(3)]), Node(4)])), functools.reduce(operator.xor, [5, 3, 5]), dataclasses.is_dataclass(Item))
