# technique: see another run's accesses to a shared file by inotify
# family: C3
# severity: L
# layers: seccomp
# profile: python-full
import os

# A file that other runs see as well: in a jail one of the image.
path = "@READABLE@" if os.path.exists("@READABLE@") else os.__file__
watcher, e = call("inotify_init")
r, e2 = call(294, 0x800)  # inotify_init1
if e and e2:
    held("inotify_init: %s; inotify_init1: %s" % (e, e2))
else:
    watcher = r if e else watcher
    call(254, watcher, os.path.dirname(path).encode(), 0x20)  # IN_OPEN
    open(path).close()
    won("%d bytes of events" % len(os.read(watcher, 4096)))
