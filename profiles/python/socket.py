# The job socket: frames of a kind, a length and a payload; see package wire.

JOB_SOCKET = 3
MAX_MESSAGE = 4 << 20  # bytes
MAX_TEXT = 500  # characters of any one name or message: 100 violations of 4-byte ones stay below the daemon's bound

MAX_IMPORTS, MAX_IMPORT = 1000, 500  # names that are listed, and bytes of each


def number(value):
    return value.to_bytes(4, "little")


def text(value):
    data = value[:MAX_TEXT].encode("utf-8", "backslashreplace")
    return number(len(data)) + data


def send(kind, payload=b""):
    data = kind + number(len(payload)) + payload
    while data:
        data = data[posix.write(JOB_SOCKET, data):]


def read(size):
    parts, left = [], size
    while left:
        part = posix.read(JOB_SOCKET, left)
        if not part:
            raise EOFError("the job socket ended inside a frame")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def receive(kind):
    header = read(5)
    size = int.from_bytes(header[1:], "little")
    if header[:1] != kind or size > MAX_MESSAGE:
        raise ValueError(f"expected frame {kind!r}, got {header!r}")
    return read(size)


def strings(payload):
    """The strings of a payload, as bytes: not all are text."""
    at, found = 0, []
    while at < len(payload):
        end = at + 4 + int.from_bytes(payload[at:at + 4], "little")
        if end > len(payload):
            raise ValueError("a string of the job is cut short")
        found.append(payload[at + 4:end])
        at = end
    return found


def load_shim():
    global SHIM
    from _frozen_importlib import ModuleSpec
    from _imp import create_dynamic
    SHIM = create_dynamic(ModuleSpec("_safe_exec", None, origin=f"{HERE}/_safe_exec.abi3.so"))


def steady_filter():
    fd = posix.open(f"{HERE}/steady.bpf", posix.O_RDONLY | posix.O_CLOEXEC)
    program = posix.read(fd, 1 << 16)
    posix.close(fd)
    return program


def hand_over(steady):
    """Loads the steady filter and waits until the daemon has its listener. What
    the daemon says with that: the level of the programs to come, or nothing."""
    listener = SHIM.lockdown(steady)
    send(b"R", number(listener))
    promised = receive(b"K")
    posix.close(listener)
    return promised
