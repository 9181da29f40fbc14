from collections import namedtuple

Point = namedtuple("Point", "x y")


class Circle:
    __match_args__ = ("center", "radius")

    def __init__(self, center, radius):
        self.center, self.radius = center, radius


def describe(value):
    match value:
        case None:
            return "nothing"
        case bool():
            return "a truth value"
        case int() | float() as n if n < 0:
            return f"negative {n}"
        case 0:
            return "zero"
        case int(n):
            return f"int {n}"
        case str() as s if s.isupper():
            return f"shout {s}"
        case "help" | "?":
            return "help"
        case Point(x=0, y=y):
            return f"on the axis at {y}"
        case Point(x, y):
            return f"point {x},{y}"
        case Circle(Point(0, 0), r):
            return f"centred circle {r}"
        case [first]:
            return f"one {first}"
        case [first, *rest]:
            return f"{first} and {len(rest)} more"
        case {"type": "user", "name": str(name), **others}:
            return f"user {name} {sorted(others)}"
        case {}:
            return "a mapping"
        case _:
            return f"something of {type(value).__name__}"


for v in [None, True, -3, 0, 7, "HEY", "?", "x", Point(0, 5), Point(1, 2), Circle(Point(0, 0), 3), [1], (1, 2, 3),
          {"type": "user", "name": "ann", "age": 3, "id": 1}, {"a": 1}, {1}, 2.5]:
    print(describe(v))


def run(command):
    match command.split():
        case ["go", ("north" | "south") as direction]:
            return direction
        case ["take", *items] if items:
            return items
        case [verb, *_]:
            return f"cannot {verb}"


print(run("go north"), run("take a b"), run("fly away"))
