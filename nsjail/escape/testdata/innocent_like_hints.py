# technique: type hints of the program's own functions and classes, generics and protocols
# family: innocents
# innocent: yes
import typing
from typing import Any, Callable, Generic, Optional, Protocol, TypeVar, Union

T = TypeVar("T")

class Box(Generic[T]):
    value: T
    next: "Optional[Box[T]]" = None

    def __init__(self, value: T) -> None:
        self.value = value

@typing.runtime_checkable
class Speaks(Protocol):
    def speak(self) -> str: ...

class Dog:
    def speak(self) -> str:
        return "woof"

def apply(f: "Callable[[int], int]", x: int, *, label: Optional[str] = None) -> "list[int]":
    return [f(x)]

hints = typing.get_type_hints(apply)
ok = hints["x"] is int and hints["return"] == list[int] and hints["label"] == Optional[str] and typing.get_type_hints(Box)["next"] == Optional[Box[T]]
ok = ok and isinstance(Dog(), Speaks) and not isinstance(3, Speaks) and apply.__annotations__["x"] is int and typing.get_args(Union[int, str]) == (int, str)
ok = ok and typing.get_origin(list[int]) is list and Box[int](3).value == 3 and typing.cast(Any, 1) == 1
(won if ok else held)(apply(lambda x: x + 1, 2))
