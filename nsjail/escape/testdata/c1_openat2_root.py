# technique: resolve a path of the host by openat2
# family: C1
# severity: C
# layers: seccomp, mount_namespace, landlock
# profile: python-full
import os
import struct

# struct open_how: flags, mode, resolve. The flags are behind a pointer, where no
# filter looks.
r, e = call(437, -100, b"@READABLE@", struct.pack("<QQQ", os.O_RDONLY, 0, 0), 24)
if e:
    held("openat2: " + e)
else:
    won("read %s" % os.read(r, 100).decode())
