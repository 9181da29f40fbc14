# technique: operator.methodcaller calls the attribute reader
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    from operator import methodcaller
    module = methodcaller("__getattr" + "ibute__", "__se" + "lf__")(print)
    return methodcaller("__getattr" + "ibute__", "op" + "en")(module)

read_host(trick)
