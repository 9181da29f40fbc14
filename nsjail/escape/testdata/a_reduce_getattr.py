# technique: the reduce protocol of a method names getattr itself
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    read = [].append.__reduce__()[0]
    return read(read(print, "__se" + "lf__"), "op" + "en")

read_host(trick)
