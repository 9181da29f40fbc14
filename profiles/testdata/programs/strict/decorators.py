import functools
import time
from typing import Callable, TypeVar, ParamSpec

P = ParamSpec("P")
R = TypeVar("R")


def timed(func: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(func)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        start = time.perf_counter()
        try:
            return func(*args, **kwargs)
        finally:
            wrapper.calls += 1
            wrapper.spent += time.perf_counter() - start

    wrapper.calls = 0
    wrapper.spent = 0.0
    return wrapper


def retry(times=3, exceptions=(Exception,)):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            for attempt in range(1, times + 1):
                try:
                    return func(*args, **kwargs)
                except exceptions as error:
                    print(f"attempt {attempt} of {func.__name__}: {error!r}")
                    if attempt == times:
                        raise
        return wrapper
    return decorate


class CountCalls:
    def __init__(self, func):
        functools.update_wrapper(self, func)
        self.func, self.count = func, 0

    def __call__(self, *args):
        self.count += 1
        return self.func(*args)


@timed
def work(n: int) -> int:
    """Adds squares."""
    return sum(i * i for i in range(n))


state = {"failures": 2}


@retry(times=3, exceptions=(ValueError,))
def flaky():
    if state["failures"]:
        state["failures"] -= 1
        raise ValueError("not yet")
    return "done"


@CountCalls
def greet(name):
    "greets"
    return f"hi {name}"


print(work(10), work(100), work.calls, work.spent >= 0, work.__name__, work.__doc__)
print(flaky(), flaky.__wrapped__.__name__)
print(greet("a"), greet("b"), greet.count, greet.__doc__)
