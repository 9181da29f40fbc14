# technique: an imported name that is a module
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    from json import codecs
    return codecs.open

read_host(trick)
