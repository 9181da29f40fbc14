# technique: see another run's accesses to a shared directory by dnotify
# family: C3
# severity: L
# layers: seccomp
# profile: python-full
import os

# A file that other runs see as well: in a jail one of the image.
path = "@READABLE@" if os.path.exists("@READABLE@") else os.__file__
attempt(72, os.open(os.path.dirname(path), os.O_RDONLY), 1026, 1)  # F_NOTIFY, DN_ACCESS
