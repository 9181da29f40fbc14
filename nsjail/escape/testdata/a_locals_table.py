# technique: the table of builtins as an item of locals
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
space = locals()
read_host(lambda: open_of(space["__built" + "ins__"]))
