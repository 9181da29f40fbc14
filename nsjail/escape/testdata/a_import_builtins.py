# technique: import the module of the builtins
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import builtins
    return builtins.open

read_host(trick)
