# technique: type hints, data copied deeply, printed prettily
# family: innocents
# innocent: yes
import copy
import pprint
import types
import typing

T = typing.TypeVar("T")

class Stack(typing.Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> "Stack[T]":
        self.items.append(item)
        return self

class Row(typing.NamedTuple):
    name: str
    size: int = 0

stack = Stack[int]().push(1).push(2)
twin = copy.deepcopy(stack)
twin.push(3)
space = types.SimpleNamespace(a=1)
ok = stack.items == [1, 2] and twin.items == [1, 2, 3] and Row("x").size == 0 and space.a == 1 and pprint.pformat({"b": 1, "a": 2}) == "{'a': 2, 'b': 1}"
(won if ok else held)(str(Row("x", 3)))
