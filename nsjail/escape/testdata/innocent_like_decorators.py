# technique: decorators with and without arguments, wrapped and cached
# family: innocents
# innocent: yes
import functools
import time

def timed(unit="ms"):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            start = time.perf_counter()
            result = function(*args, **kwargs)
            wrapper.calls.append((function.__name__, unit, time.perf_counter() - start))
            return result
        wrapper.calls = []
        return wrapper
    return decorate

@timed()
@functools.lru_cache(maxsize=None)
def fibonacci(n):
    """The n-th number."""
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

@functools.singledispatch
def show(x):
    return "thing"

@show.register
def _(x: int):
    return "number"

@show.register(list)
def _(x):
    return "list"

ok = fibonacci(30) == 832040 and fibonacci.__name__ == "fibonacci" and fibonacci.__doc__ == "The n-th number."
ok = ok and fibonacci.calls[0][0] == "fibonacci" and fibonacci.__wrapped__.cache_info().hits > 0 and [show(1), show([]), show("")] == ["number", "list", "thing"]
ok = ok and functools.reduce(lambda a, b: a * b, [1, 2, 3]) == 6 and functools.partial(max, key=len)(["a", "bb"]) == "bb"
(won if ok else held)(fibonacci(30))
