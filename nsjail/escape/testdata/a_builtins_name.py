# technique: the name by which a program finds its builtins
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    table = __builtins__
    return table["open"] if isinstance(table, dict) else table.open

read_host(trick)
