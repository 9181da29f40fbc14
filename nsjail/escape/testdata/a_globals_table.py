# technique: the table of builtins as an item of globals
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
read_host(lambda: open_of(globals()["__built" + "ins__"]))
