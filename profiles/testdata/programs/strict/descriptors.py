class Typed:
    def __init__(self, kind, *, default=None):
        self.kind, self.default = kind, default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return obj.__dict__.get(self.name, self.default)

    def __set__(self, obj, value):
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.name} must be {self.kind.__name__}, not {type(value).__name__}")
        obj.__dict__[self.name] = value


class Model:
    fields: dict = {}

    def __init_subclass__(cls, table=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.table = table or cls.__name__.lower()
        cls.fields = {k: v for k, v in vars(cls).items() if isinstance(v, Typed)}

    def __init__(self, **values):
        for name, value in values.items():
            if name not in self.fields:
                raise AttributeError(f"no field {name}")
            self.fields[name].__set__(self, value)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v.__get__(self)!r}' for k, v in self.fields.items())})"


class User(Model, table="people"):
    name = Typed(str)
    age = Typed(int, default=0)


class Lazy:
    def __getattr__(self, name):
        if name.startswith("get_"):
            return lambda: name[4:]
        raise AttributeError(name)

    def __call__(self, *args):
        return len(args)

    def __contains__(self, item):
        return item == 42

    def __bool__(self):
        return False

    def __format__(self, spec):
        return f"<{spec}>"


u = User(name="Ann")
print(u, User.table, sorted(User.fields), u.age)
u.age = 5
print(u)
for bad in (lambda: User(name=1), lambda: User(colour="red")):
    try:
        bad()
    except (TypeError, AttributeError) as e:
        print(type(e).__name__, e)
lazy = Lazy()
print(lazy.get_thing(), lazy(1, 2), 42 in lazy, bool(lazy), f"{lazy:spec}", hasattr(lazy, "other"), callable(lazy))
