# technique: the module of encodings opens files
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    from codecs import open as found
    return found

read_host(trick)
