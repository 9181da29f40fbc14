# technique: descriptors, lazy properties and attribute hooks of the program's own
# family: innocents
# innocent: yes
import functools
import types

class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner=None):
        return self if thing is None else thing.__dict__.get(self.name, 0)

    def __set__(self, thing, value):
        if value < 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        thing.__dict__[self.name] = value

class Item:
    price = Positive()

    def __init__(self, price):
        self.price = price

    @functools.cached_property
    def tax(self):
        return self.price / 4

class Frozen:
    def __init__(self, **values):
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise TypeError("frozen")

item = Item(8)
try:
    item.price = -1
except ValueError as e:
    message = str(e)
try:
    Frozen(a=1).a = 2
except TypeError as e:
    message += ", " + str(e)
space = types.SimpleNamespace(a=1, b=[2])
bound = types.MethodType(lambda self, x: (self, x), 5)
ok = item.tax == 2 and message == "price must be positive, frozen" and Frozen(a=1).a == 1 and space.b == [2] and bound(6) == (5, 6)
(won if ok else held)(message)
