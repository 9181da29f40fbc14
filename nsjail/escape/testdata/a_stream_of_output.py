# technique: the class of raw files beneath standard output
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import sys
    kind = type(raw_of(sys.stdout.buffer))
    if kind.__name__ == "FileIO":
        reached("the class of raw files")
    return kind

def raw_of(buffer):
    return buffer.raw if hasattr(buffer, "raw") else buffer

read_host(trick)
