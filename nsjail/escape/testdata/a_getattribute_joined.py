# technique: attribute names put together at run time
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    read = object.__getattribute__
    table = read(won, "__glo" + "bals__")["__built" + "ins__"]
    return table["open"] if isinstance(table, dict) else read(table, "op" + "en")

read_host(trick)
