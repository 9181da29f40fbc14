from collections import deque, defaultdict
from typing import Dict, Hashable, List, Set


class Graph:
    def __init__(self, edges=()):
        self.adjacent: Dict[Hashable, Dict[Hashable, int]] = defaultdict(dict)
        for a, b, w in edges:
            self.add(a, b, w)

    def add(self, a, b, weight=1):
        self.adjacent[a][b] = weight
        self.adjacent[b][a] = weight

    def bfs(self, start) -> List:
        seen: Set = {start}
        queue, order = deque([start]), []
        while queue:
            node = queue.popleft()
            order.append(node)
            for n in sorted(self.adjacent[node]):
                if n not in seen:
                    seen.add(n)
                    queue.append(n)
        return order

    def dijkstra(self, start):
        distance = {n: float("inf") for n in self.adjacent} | {start: 0}
        previous, todo = {}, set(self.adjacent)
        while todo:
            node = min(todo, key=lambda n: (distance[n], n))
            todo.remove(node)
            for n, w in self.adjacent[node].items():
                if (d := distance[node] + w) < distance[n]:
                    distance[n], previous[n] = d, node
        return distance, previous


def path(previous, target):
    route = [target]
    while route[-1] in previous:
        route.append(previous[route[-1]])
    return "-".join(reversed(route))


def topological(dependencies):
    done, order = {}, []

    def visit(node, trail=()):
        if node in trail:
            raise ValueError("cycle: " + " > ".join((*trail, node)))
        if not done.get(node):
            for d in dependencies.get(node, ()):
                visit(d, (*trail, node))
            done[node] = True
            order.append(node)

    for node in dependencies:
        visit(node)
    return order


g = Graph([("a", "b", 7), ("a", "c", 9), ("a", "f", 14), ("b", "c", 10), ("b", "d", 15), ("c", "d", 11), ("c", "f", 2), ("d", "e", 6), ("e", "f", 9)])
distance, previous = g.dijkstra("a")
print(g.bfs("a"), distance, path(previous, "e"))
print(topological({"app": ["db", "log"], "db": ["log"], "log": []}))
try:
    topological({"x": ["y"], "y": ["x"]})
except ValueError as e:
    print(e)
