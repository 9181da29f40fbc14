# technique: exceptions, chains, groups and their text
# family: innocents
# innocent: yes
class OwnError(Exception):
    pass

seen = []
try:
    try:
        {}["missing"]
    except KeyError as e:
        raise OwnError("wrapped") from e
except OwnError as e:
    seen.append(str(e))
finally:
    seen.append("finally")
try:
    int("x")
except (TypeError, ValueError) as e:
    seen.append(type(e).__name__)
try:
    raise ExceptionGroup("two", [ValueError(1), TypeError(2)])
except* ValueError:
    seen.append("group")
except* TypeError:
    seen.append("rest")
(won if seen == ["wrapped", "finally", "ValueError", "group", "rest"] else held)(", ".join(seen))
