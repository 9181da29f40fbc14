from abc import ABC, abstractmethod
from math import pi
from numbers import Number
from typing import Iterable


class Shape(ABC):
    def __init__(self, name: str):
        self.name = name

    @property
    @abstractmethod
    def area(self) -> float:
        """The area."""

    @abstractmethod
    def scale(self, k: float) -> "Shape": ...

    def __lt__(self, other):
        return self.area < other.area

    def __str__(self):
        return f"{self.name}({self.area:.2f})"


class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r

    @property
    def area(self):
        return pi * self.r ** 2

    def scale(self, k):
        return Circle(self.r * k)


class Rect(Shape):
    def __init__(self, w, h):
        super().__init__("rect")
        self.w, self.h = w, h

    @property
    def area(self):
        return self.w * self.h

    def scale(self, k):
        return Rect(self.w * k, self.h * k)


def largest(shapes: Iterable[Shape]) -> Shape:
    return max(shapes)


try:
    Shape("x")
except TypeError as e:
    print("TypeError:", str(e)[:40])
shapes = [Circle(1), Rect(2, 3), Circle(0.5).scale(3)]
print(*map(str, sorted(shapes)), "|", largest(shapes))
print(isinstance(3, Number), isinstance("3", Number), issubclass(Circle, Shape), Shape.area.__doc__)


class Duck:
    def quack(self): return "quack"


class Quacks(ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "quack") or NotImplemented


Shape.register(Duck)
print(isinstance(Duck(), Quacks), isinstance(1, Quacks), issubclass(Duck, Shape))
