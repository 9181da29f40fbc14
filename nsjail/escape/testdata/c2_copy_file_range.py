# technique: copy between files inside the kernel by copy_file_range
# family: C2
# severity: M
# layers: seccomp
# profile: python-full
import os

with open("from", "w") as f:
    f.write("x" * 16)
r, e = call(326, os.open("from", os.O_RDONLY), 0, os.open("to", os.O_WRONLY | os.O_CREAT, 0o600), 0, 16, 0)
if e:
    held("copy_file_range: " + e)
else:
    won("%d bytes arrived" % os.stat("to").st_size)
