def make_counter(start=0, *, step=1):
    value = start

    def increment(by=None):
        nonlocal value
        value += step if by is None else by
        return value

    def reset():
        nonlocal value
        value = start

    increment.reset = reset
    return increment


def compose(*functions):
    def composed(x):
        for f in reversed(functions):
            x = f(x)
        return x
    return composed


def curry(f, n):
    def curried(*args):
        return f(*args) if len(args) >= n else lambda *more: curried(*args, *more)
    return curried


c = make_counter(10, step=5)
print(c(), c(), c(by=1))
c.reset()
print(c())
print(compose(str, lambda x: x + 1, abs)(-41), curry(lambda a, b, c: (a, b, c), 3)(1)(2, 3))
adders = [lambda x, n=n: x + n for n in range(3)]
late = [lambda x: x + n for n in range(3)]
print([f(10) for f in adders], [f(10) for f in late])
registry = {}


def register(name=None):
    def wrap(f):
        registry[name or f.__name__] = f
        return f
    return wrap


@register()
def ping():
    return "pong"


@register("sum")
def total(*numbers, scale: int = 1, **rest):
    return sum(numbers) * scale, rest


print(sorted(registry), registry["ping"](), registry["sum"](1, 2, scale=3, other=True))
print(total.__name__, (lambda *a, **k: (a, k))(1, b=2))
