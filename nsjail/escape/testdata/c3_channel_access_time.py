# technique: see another run's reads by the access time of a shared file
# family: C3
# severity: L
# layers: policy, noatime
import os
import time

path = os.__file__
if os.path.exists("@WRITABLE@"):
    path = "@WRITABLE@"
    os.utime(path)  # relatime: the next read moves the access time
before = os.stat(path).st_atime_ns
time.sleep(0.05)  # beyond the kernel's tick
with open(path) as f:
    f.read()
if os.stat(path).st_atime_ns != before:
    won("the access time of %s moved" % path)
else:
    held("the access time stays")
