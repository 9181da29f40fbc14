# technique: operator.attrgetter with a computed path
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import operator
    return operator.attrgetter("__se" + "lf__.op" + "en")(print)

read_host(trick)
