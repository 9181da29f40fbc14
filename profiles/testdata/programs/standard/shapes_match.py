from dataclasses import dataclass, field
from enum import Enum
from typing import Union
import math


class Unit(Enum):
    CM = "cm"
    M = "m"


@dataclass
class Point:
    x: float
    y: float


@dataclass
class Circle:
    center: Point
    radius: float = 1.0
    unit: Unit = Unit.CM


@dataclass(frozen=True)
class Polygon:
    points: tuple = field(default_factory=tuple)


Shape = Union[Circle, Polygon, Point]


def area(shape: Shape) -> float:
    match shape:
        case Circle(Point(0, 0), r, Unit.M):
            return math.pi * r ** 2 * 10_000
        case Circle(center=Point(x, y), radius=r) if x == y:
            return math.pi * r ** 2 + x
        case Circle(_, r):
            return math.pi * r * r
        case Polygon((Point(x1, y1), Point(x2, y2), Point(x3, y3))):
            return abs(x1 * (y2 - y3) + x2 * (y3 - y1) + x3 * (y1 - y2)) / 2
        case Polygon(points) if len(points) < 3:
            return 0.0
        case Point():
            return 0.0
        case {"shape": "square", "side": (int() | float()) as side}:
            return side ** 2
        case _:
            raise TypeError(f"no area of {shape!r}")


for s in [Circle(Point(0, 0), 1, Unit.M), Circle(Point(2, 2), 1), Circle(Point(1, 2), 3), Polygon((Point(0, 0), Point(4, 0), Point(0, 3))), Polygon(), Point(1, 1), {"shape": "square", "side": 2.5}]:
    print(round(area(s), 3))
try:
    area("circle")
except TypeError as e:
    print(e)
