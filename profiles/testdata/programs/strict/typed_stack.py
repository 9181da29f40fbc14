from typing import Any, Callable, Dict, Generic, Iterator, List, Optional, Tuple, TypeVar, Union

T = TypeVar("T")
Number = Union[int, float]


class Stack(Generic[T]):
    """A stack with a typed interface."""

    def __init__(self, items: Optional[List[T]] = None) -> None:
        self._items: List[T] = list(items or [])

    def push(self, item: T) -> "Stack[T]":
        self._items.append(item)
        return self

    def pop(self) -> T:
        if not self._items:
            raise IndexError("pop from empty stack")
        return self._items.pop()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return reversed(self._items)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items!r})"


OPERATORS: Dict[str, Callable[[Number, Number], Number]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def evaluate(expression: str) -> Tuple[Number, int]:
    stack: Stack[Any] = Stack()
    steps = 0
    for token in expression.split():
        if token in OPERATORS:
            b, a = stack.pop(), stack.pop()
            stack.push(OPERATORS[token](a, b))
            steps += 1
        else:
            stack.push(float(token) if "." in token else int(token))
    return stack.pop(), steps


print(evaluate("3 4 + 2 *"), evaluate("5 1 2 + 4 * + 3 -"))
print(Stack([1, 2]).push(3), list(Stack("ab")), len(Stack()))
try:
    evaluate("+")
except IndexError as error:
    print("error:", error)
print(Stack.__doc__, Stack[int], Stack.push.__annotations__)
