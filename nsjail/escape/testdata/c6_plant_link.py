# technique: leaves a link to a file of the host for a collector
# family: C6
# severity: C
# layers: policy, mount_namespace, collector
import os

os.symlink("@READABLE@", "result.txt")
os.makedirs("out")
os.symlink("@DIR@", "out/files")
try:
    won("a collector would read %s" % open("result.txt").read())
except OSError as e:
    held(errno_name(e))
