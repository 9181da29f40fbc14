# technique: look at the stack with the library for it
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import inspect
    return open_of(dict(inspect.getmembers(inspect.currentframe()))["f_builtins"])

read_host(trick)
