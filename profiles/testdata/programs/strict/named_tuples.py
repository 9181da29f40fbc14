from collections import namedtuple
from typing import NamedTuple, Optional


class Employee(NamedTuple):
    """A row of the payroll."""
    name: str
    salary: float = 1000.0
    manager: Optional["Employee"] = None

    @property
    def chain(self) -> str:
        return self.name if self.manager is None else f"{self.name} < {self.manager.chain}"


Point = namedtuple("Point", "x y")


class Vector(Point):
    __slots__ = ()

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)


boss = Employee("Zoe", 5000)
staff = [Employee("Al", 1200, boss), Employee("Bo", manager=boss), boss]
print(*sorted(staff, key=lambda e: (-e.salary, e.name)), sep="\n")
print(staff[0].chain, Employee._fields, Employee.__annotations__, Employee.__doc__)
print(Vector(1, 2) + Vector(3, 4) * 2, Vector(1, 2)._asdict(), Point._make([5, 6])._replace(y=0))
name, salary, *_ = staff[0]
print(name, salary, boss == Employee("Zoe", 5000), hash(Point(1, 2)) == hash((1, 2)))
try:
    boss.salary = 1
except AttributeError as e:
    print("AttributeError:", e)
