# technique: file handles, which ignore the view of mounts
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import ctypes
import struct

errors = []
for path in [b"@READABLE@", b"/tmp", b"/"]:
    handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0), 136)
    mount = ctypes.c_int()
    r, e = call("name_to_handle_at", -100, path, handle, ctypes.byref(mount), 0)
    if not e:
        won("handle of %s on mount %d" % (path.decode(), mount.value))
        break
    errors.append(e)
    # An invented handle: root inode of the file system that the descriptor is on.
    errors.append(call("open_by_handle_at", 0, struct.pack("<IiII", 8, 1, 2, 0), 0)[1])
else:
    held(" ".join(errors))
