# technique: errors with arguments, causes, notes, groups and classes of their own
# family: innocents
# innocent: yes
class Failed(Exception):
    def __init__(self, code, *rest):
        super().__init__(code, *rest)
        self.code = code

    def __str__(self):
        return f"failed with {self.code}"

found = []
try:
    try:
        {}["missing"]
    except KeyError as e:
        raise Failed(3, "more") from e
except Failed as e:
    e.add_note("a note")
    found += [e.args, str(e), e.__cause__.args[0], e.__notes__, type(e).__name__, e.__traceback__ is not None]
try:
    raise ExceptionGroup("some", [ValueError(1), TypeError("2"), Failed(4)])
except* ValueError as group:
    found.append(len(group.exceptions))
except* (TypeError, Failed) as group:
    found.append([str(e) for e in group.exceptions])
try:
    (1).nothing
except AttributeError as e:
    found.append((e.name, e.obj))
try:
    assert False, "no"
except AssertionError as e:
    found.append(str(e))
finally:
    found.append("end")
want = [(3, "more"), "failed with 3", "missing", ["a note"], "Failed", True, 1, ["2", "failed with 4"], ("nothing", 1), "no", "end"]
(won if found == want else held)(found)
