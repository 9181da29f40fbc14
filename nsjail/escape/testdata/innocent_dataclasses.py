# technique: data classes, enumerations, heaps and bisection
# family: innocents
# innocent: yes
# policy: relaxed
import bisect
import dataclasses
import enum
import heapq
import operator

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

@dataclasses.dataclass(order=True)
class Task:
    rank: int
    name: str = dataclasses.field(compare=False, default="")

heap = [Task(3, "c"), Task(1, "a"), Task(2, "b")]
heapq.heapify(heap)
order = [heapq.heappop(heap).name for _ in range(3)]
ok = order == ["a", "b", "c"] and Colour(2) is Colour.BLUE and bisect.bisect([1, 3, 5], 4) == 2 and operator.itemgetter(1)("xyz") == "y"
(won if ok else held)("".join(order))
