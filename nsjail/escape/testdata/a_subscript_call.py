# technique: a subscript of a class calls what __class_getitem__ names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
class Door:
    __class_getitem__ = eval

read_host(lambda: Door["op" + "en"])
