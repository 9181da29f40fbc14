# technique: a name that the program binds in another function
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def unused(open, /):
    pass

read_host(lambda: open)
