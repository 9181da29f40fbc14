from __future__ import annotations
from typing import Generic, Iterable, Iterator, Optional, TypeVar

T = TypeVar("T")


class Node(Generic[T]):
    __slots__ = ("value", "next")

    def __init__(self, value: T, next: Optional[Node[T]] = None) -> None:
        self.value = value
        self.next = next


class LinkedList(Generic[T]):
    def __init__(self, values: Iterable[T] = ()) -> None:
        self.head: Optional[Node[T]] = None
        self.size = 0
        for v in reversed(list(values)):
            self.head = Node(v, self.head)
            self.size += 1

    def __iter__(self) -> Iterator[T]:
        node = self.head
        while node is not None:
            yield node.value
            node = node.next

    def __len__(self) -> int:
        return self.size

    def reverse(self) -> LinkedList[T]:
        previous, node = None, self.head
        while node:
            node.next, previous, node = previous, node, node.next
        self.head = previous
        return self

    def __repr__(self) -> str:
        return " -> ".join(map(repr, self)) or "empty"


class Tree:
    def __init__(self):
        self.root = None

    def insert(self, key):
        def go(node):
            if node is None:
                return [key, None, None]
            side = 1 if key < node[0] else 2
            node[side] = go(node[side])
            return node
        self.root = go(self.root)

    def walk(self, order="in"):
        def go(node):
            if node:
                parts = {"pre": (0, 1, 2), "in": (1, 0, 2), "post": (1, 2, 0)}[order]
                for p in parts:
                    yield from [node[0]] if p == 0 else go(node[p])
        return list(go(self.root))

    @property
    def height(self):
        def go(node):
            return 0 if node is None else 1 + max(go(node[1]), go(node[2]))
        return go(self.root)


print(LinkedList([1, 2, 3]), LinkedList("abc").reverse(), len(LinkedList(range(5))), LinkedList())
tree = Tree()
for key in (50, 30, 70, 20, 40, 60, 80):
    tree.insert(key)
print(tree.walk(), tree.walk("pre"), tree.walk("post"), tree.height)
try:
    Node(1).other = 2
except AttributeError as e:
    print("AttributeError:", e)
