# technique: list the mounts, by listmount or /proc
# family: C1
# severity: M
# layers: seccomp, no_proc, mount_namespace
# profile: python-full
import ctypes
import struct

ids = ctypes.create_string_buffer(8 * 64)
# struct mnt_id_req: size, spare, mount (all), parameter
r, e = call("listmount", struct.pack("<IIQQ", 24, 0, 0xffffffffffffffff, 0), ids, 64, 0)
if not e and r > 0:
    won("%d mounts" % r)
else:
    try:
        won("%d lines" % len(open("/proc/self/mountinfo").readlines()))
    except OSError as error:
        held("listmount: %s; %s" % (e, errno_name(error)))
