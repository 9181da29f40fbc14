# technique: shared memory files
# family: C3
# severity: M
# layers: policy, mount_namespace, landlock
import os

try:
    won("/dev/shm is there, with %d files" % len(os.listdir("/dev/shm")))
except OSError as e:
    held(errno_name(e))
