# technique: reach a file of the host through a symbolic link in /tmp
# family: C1
# severity: C
# layers: policy, mount_namespace, landlock
import os

try:
    os.symlink("@READABLE@", "link")
    won("read %s" % open("link").read())
except OSError as e:
    held(errno_name(e))
