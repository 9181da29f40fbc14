# technique: signal to another run by a record lock on a shared file
# family: C3
# severity: L
# layers: seccomp
# profile: python-full
import struct
import os

# A file that other runs see as well: in a jail one of the image.
path = "@READABLE@" if os.path.exists("@READABLE@") else os.__file__
fd, errors = os.open(path, os.O_RDONLY), []
lock = struct.pack("<hhxxxxqqixxxx", 0, 0, 0, 0, 0)  # F_RDLCK of all of it
for command in [6, 37, 1 << 32 | 6, 1024]:  # F_SETLK, F_OFD_SETLK, F_SETLK with a high bit, F_SETLEASE
    r, e = call(72, fd, command, lock)
    if not e:
        won("locked %s by command %d" % (path, command))
        break
    errors.append(e)
else:
    held("fcntl: " + " ".join(errors))
