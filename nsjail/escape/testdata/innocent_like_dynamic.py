# technique: looking at the program's own objects: type, vars, dir, isinstance, callable, super
# family: innocents
# innocent: yes
class Base:
    """The base."""
    size = 1

    def hello(self):
        return "base"

class Child(Base):
    def __init__(self):
        self.a, self.b = 1, 2

    def hello(self):
        return "child of " + super().hello()

c = Child()
fields = sorted(vars(c).items())
made = type("Made", (Base,), {"size": 5, "hello": lambda self: "made"})
ok = fields == [("a", 1), ("b", 2)] and "hello" in dir(c) and hasattr(c, "a") and not hasattr(c, "z") and callable(c.hello)
ok = ok and made().size == 5 and made().hello() == "made" and issubclass(made, Base) and isinstance(c, (int, Base)) and type(c) is Child
ok = ok and c.hello() == "child of base" and Base.__doc__ == "The base." and c.__dict__ == {"a": 1, "b": 2} and id(c) == id(c)
ok = ok and "ok" in locals() and "Base" in globals() and type(c).__name__ == "Child" and Child.__module__ == "__main__" and repr(print).startswith("<built-in")
(won if ok else held)(fields)
