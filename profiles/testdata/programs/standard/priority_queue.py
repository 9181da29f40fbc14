import heapq
import itertools
from dataclasses import dataclass, field
from typing import Any


@dataclass(order=True)
class Task:
    priority: int
    sequence: int
    name: str = field(compare=False)
    payload: Any = field(default=None, compare=False, repr=False)


class Scheduler:
    def __init__(self):
        self._heap: list[Task] = []
        self._counter = itertools.count()

    def add(self, name, priority=0, payload=None):
        heapq.heappush(self._heap, Task(priority, next(self._counter), name, payload))
        return self

    def run(self):
        while self._heap:
            task = heapq.heappop(self._heap)
            yield task


s = Scheduler().add("low", 5).add("high", 1).add("also high", 1, {"x": 1})
print([t.name for t in s.run()], Task(1, 2, "n"))


def dijkstra(graph, start):
    best, heap = {}, [(0, start)]
    while heap:
        cost, node = heapq.heappop(heap)
        if node in best:
            continue
        best[node] = cost
        for neighbour, weight in graph[node].items():
            heapq.heappush(heap, (cost + weight, neighbour))
    return best


print(dijkstra({"a": {"b": 1, "c": 4}, "b": {"c": 2, "d": 6}, "c": {"d": 3}, "d": {}}, "a"))
print(heapq.nlargest(2, [5, 1, 9, 3]), heapq.nsmallest(2, ["pear", "fig", "apple"], key=len), list(heapq.merge([1, 4], [2, 3], [0])))
