# technique: the module io opens code files
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import io
    return io.open_code

read_host(trick)
