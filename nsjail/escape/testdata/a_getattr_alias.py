# technique: getattr under another name
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    read = [getattr][0]
    return read(read(print, "__se" + "lf__"), "op" + "en")

read_host(trick)
