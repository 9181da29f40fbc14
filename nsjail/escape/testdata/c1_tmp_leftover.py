# technique: find files of another run in /tmp
# family: C1
# severity: H
# layers: policy, mount_namespace
import os

try:
    found = os.listdir("/tmp")
    if found:
        won("/tmp holds %d files" % len(found))
    else:
        held("/tmp is empty")
except OSError as e:
    held(errno_name(e))
