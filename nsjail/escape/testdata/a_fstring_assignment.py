# technique: an assignment inside a replacement field
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    f"{(found := print.__self__)}"
    return found.open

read_host(trick)
