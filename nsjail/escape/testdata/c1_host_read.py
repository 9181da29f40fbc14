# technique: read a world-readable file of the host
# family: C1
# severity: C
# layers: policy, mount_namespace, landlock
try:
    won("read %s" % open("@READABLE@").read())
except OSError as e:
    held(errno_name(e))
