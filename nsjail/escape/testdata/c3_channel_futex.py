# technique: wake a waiter in another run by a futex in a shared file
# family: C3
# severity: L
# layers: seccomp
# profile: python-full
import ctypes
import os

# A file that other runs see as well: in a jail one of the image.
path = "@READABLE@" if os.path.exists("@READABLE@") else os.__file__
address, e = call("mmap", 0, 4096, 1, 1, os.open(path, os.O_RDONLY), 0)  # PROT_READ, MAP_SHARED
errors = set()
for operation in [1, 10, 1 << 32 | 1, 3]:  # FUTEX_WAKE, FUTEX_WAKE_BITSET, a high bit, FUTEX_REQUEUE
    r, e = call(202, address, operation, 1, 0, address, 1)
    if not e:
        won("operation %d on %s" % (operation, path))
        break
    errors.add(e)
else:
    held("futex: " + " ".join(sorted(errors)))
