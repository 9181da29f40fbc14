import json


class ConfigError(Exception):
    """Bad configuration."""


class Managed:
    def __init__(self, name, log):
        self.name, self.log = name, log

    def __enter__(self):
        self.log.append(f"+{self.name}")
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append(f"-{self.name}:{kind.__name__ if kind else None}")
        return kind is KeyError


def load(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"line {error.lineno}, column {error.colno}: {error.msg}") from error


log = []
for text in ('{"a": 1}', '{"a": }', "[1, 2"):
    try:
        value = load(text)
    except ConfigError as e:
        print("ConfigError:", e, "| because", type(e.__cause__).__name__)
    else:
        print("loaded", value)
    finally:
        log.append(len(text))
with Managed("a", log) as a, Managed("b", log):
    {}["missing"]
print(log, a.name)


def order():
    try:
        yield "try"
        raise ValueError("v")
    except (TypeError, ValueError) as e:
        yield f"except {e}"
    else:
        yield "else"
    finally:
        yield "finally"


print(list(order()))
try:
    try:
        1 / 0
    except ZeroDivisionError:
        int("x")
except ValueError as e:
    print(repr(e), "|", repr(e.__context__))
try:
    raise ExceptionGroup("several", [ValueError(1), TypeError(2), KeyError("k")])
except* (ValueError, TypeError) as group:
    print("handled", [type(e).__name__ for e in group.exceptions])
except* KeyError as group:
    print("keys", group.exceptions[0].args)
e = ValueError("base")
e.add_note("a note")
print(e.__notes__, e.args, ConfigError.__doc__)
assert isinstance(e, Exception), "never"
try:
    assert 1 == 2, "one is not two"
except AssertionError as e:
    print(e)
