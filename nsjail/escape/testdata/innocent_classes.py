# technique: classes, properties, generators, context managers and pattern matching
# family: innocents
# innocent: yes
class Shape:
    def __init__(self, sides):
        self.sides = sides

    def __repr__(self):
        return "Shape(%d)" % self.sides

    def __eq__(self, other):
        return isinstance(other, Shape) and self.sides == other.sides

    @property
    def name(self):
        match self.sides:
            case 3:
                return "triangle"
            case 4 | 5:
                return "more"
            case _:
                return "other"

class Square(Shape):
    def __init__(self):
        super().__init__(4)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True

def count_down(n):
    while n:
        sent = yield n
        n = sent if sent is not None else n - 1

with Square() as s:
    raise ValueError("swallowed")
ok = repr(s) == "Shape(4)" and s == Shape(4) and s.name == "more" and list(count_down(3)) == [3, 2, 1]
(won if ok else held)(s.name)
