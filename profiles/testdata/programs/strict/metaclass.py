class Registry(type):
    classes = {}

    def __new__(mcs, name, bases, namespace, **kwargs):
        cls = super().__new__(mcs, name, bases, namespace)
        if bases:
            mcs.classes[kwargs.get("key", name.lower())] = cls
        return cls

    def __init__(cls, name, bases, namespace, **kwargs):
        super().__init__(name, bases, namespace)

    def __call__(cls, *args, **kwargs):
        instance = super().__call__(*args, **kwargs)
        instance.created_by = cls.__name__
        return instance

    def __iter__(cls):
        return iter(sorted(cls.classes))


class Shape(metaclass=Registry):
    def area(self):
        raise NotImplementedError

    @classmethod
    def make(cls, key, *args):
        return Registry.classes[key](*args)


class Square(Shape, key="sq"):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return round(3.14159 * self.r ** 2, 3)


class Singleton:
    _instance = None

    def __new__(cls, *args):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance


print(list(Shape), Shape.make("sq", 3).area(), Shape.make("circle", 2).area(), Circle(1).created_by)
print(type(Square).__name__, isinstance(Square, Registry), Singleton() is Singleton(1))
try:
    Shape().area()
except NotImplementedError as e:
    print(repr(e))
Dynamic = type("Dynamic", (Square,), {"label": "made at run time", "double": lambda self: self.side * 2})
print(Dynamic(4).double(), Dynamic.label, Dynamic(2).area(), issubclass(Dynamic, Shape))
