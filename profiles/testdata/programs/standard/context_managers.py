import contextlib
import io
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress, closing, nullcontext


@contextmanager
def transaction(store):
    backup = dict(store)
    try:
        yield store
    except Exception as e:
        store.clear()
        store.update(backup)
        print("rolled back:", e)
    else:
        print("committed")


@contextmanager
def indented(prefix):
    buffer = io.StringIO()
    with redirect_stdout(buffer):
        yield
    for line in buffer.getvalue().splitlines():
        print(prefix + line)


class Resource:
    def __init__(self, name):
        self.name = name

    def close(self):
        print("closing", self.name)


store = {"a": 1}
with transaction(store) as s:
    s["b"] = 2
with transaction(store):
    store["c"] = 3
    raise RuntimeError("disk full")
print(store)
with indented("> "):
    print("one")
    print("two")
with suppress(ZeroDivisionError, KeyError):
    1 / 0
with ExitStack() as stack:
    for name in "xy":
        stack.enter_context(closing(Resource(name)))
    stack.callback(print, "callback first")
with nullcontext("value") as v:
    print(v)


class Timer(contextlib.ContextDecorator):
    def __enter__(self):
        print("start")
        return self

    def __exit__(self, *exc):
        print("stop")
        return False


@Timer()
def job():
    print("working")


job()
