# technique: a buffered reader hands out a view that outlives its memory
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
kept = []

def trick():
    import io

    class Raw(io.RawIOBase):
        def readinto(self, view):
            kept.append(view)
            return 0

        def readable(self):
            return True
    io.BufferedReader(Raw()).read(1)
    before = bytes(kept[0])
    again = [bytearray(b"x" * len(before)) for _ in range(10)]
    if bytes(kept[0]) != before or before.strip(b"\0"):
        reached("a view of memory that others use")
    # From here on it is native code; a program would not ask by name.
    return vars(io)["op" + "en"]

read_host(trick)
