# technique: the importer of builtin modules among all classes
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    for c in object.__subclasses__():
        if c.__name__ == "BuiltinImporter":
            return c.load_module("posix")
    raise LookupError("no such class")

start_process(trick)
