# technique: an operator of a class calls what the method names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
class Door:
    __add__ = eval

read_host(lambda: Door() + ("op" + "en"))
