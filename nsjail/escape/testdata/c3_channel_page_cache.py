# technique: see or change what of a shared file is in the page cache
# family: C3
# severity: L
# layers: seccomp
# profile: python-full
import ctypes
import struct
import os

# A file that other runs see as well: in a jail one of the image.
path = "@READABLE@" if os.path.exists("@READABLE@") else os.__file__
fd, errors = os.open(path, os.O_RDONLY), []
address, _ = call("mmap", 0, 4096, 1, 1, fd, 0)
buffer = ctypes.create_string_buffer(4096)
for name, t in [("mincore", (27, address, 4096, buffer)), ("preadv2", (327, fd, struct.pack("<QQ", ctypes.addressof(buffer), 16), 1, 0, 0, 8)),
                ("readahead", (187, fd, 0, 4096)), ("fadvise64", (221, fd, 0, 0, 4)), ("cachestat", ("cachestat", fd, bytes(16), buffer, 0))]:
    r, e = call(*t)
    if not e:
        won("%s answered %d" % (name, r))
        break
    errors.append("%s %s" % (name, e))
else:
    held("; ".join(errors))
