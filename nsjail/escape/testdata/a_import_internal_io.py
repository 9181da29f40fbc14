# technique: import the C module beneath io
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import _io
    return _io.open

read_host(trick)
