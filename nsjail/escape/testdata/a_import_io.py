# technique: the module io opens files
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import io
    return io.open

read_host(trick)
