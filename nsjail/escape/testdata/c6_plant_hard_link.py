# technique: leaves a second name of a host file for a collector
# family: C6
# severity: C
# layers: policy, mount_namespace, collector
import os

try:
    os.link("@WRITABLE@", "result.txt")
    won("a collector would read %s" % open("result.txt").read())
except OSError as e:
    held(errno_name(e))
